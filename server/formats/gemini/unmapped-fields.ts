// Response fields of `generateContent` that are not mapped to other formats, by reason.
import type { UnmappedFields } from '../unmapped-fields.ts';

const ofEverything = {
  "response id: the caller's format has its own": ['responseId'],
  'creation time and model status: other formats do not have them': ['createTime', 'modelStatus'],
  'safety ratings and finish messages: the finish reason is mapped': [
    'candidates[].safetyRatings',
    'candidates[].finishMessage',
    'promptFeedback.safetyRatings',
  ],
  'counts derived from mapped ones': [
    'candidates[].avgLogprobs',
    'candidates[].logprobsResult.logProbabilitySum',
    'candidates[].tokenCount',
    'usageMetadata.candidatesTokenCount',
    'usageMetadata.initialPromptTokenCount',
  ],
  'token ids, which are specific to the vendor': [
    'candidates[].logprobsResult.chosenCandidates[].tokenId',
    'candidates[].logprobsResult.topCandidates[candidates].candidates[].tokenId',
  ],
  'details of a source other than URL, title and quote': [
    'candidates[].citationMetadata.citations[].license',
    'candidates[].citationMetadata.citations[].publicationDate',
    'candidates[].groundingMetadata.groundingChunks[image].image.domain',
    'candidates[].groundingMetadata.groundingChunks[image].image.imageUri',
    'candidates[].groundingMetadata.groundingChunks[maps].maps.placeAnswerSources',
    'candidates[].groundingMetadata.groundingChunks[maps].maps.placeId',
    'candidates[].groundingMetadata.groundingChunks[maps].maps.route',
    'candidates[].groundingMetadata.groundingChunks[retrievedContext].retrievedContext.customMetadata',
    'candidates[].groundingMetadata.groundingChunks[retrievedContext].retrievedContext.documentName',
    'candidates[].groundingMetadata.groundingChunks[retrievedContext].retrievedContext.fileSearchStore',
    'candidates[].groundingMetadata.groundingChunks[retrievedContext].retrievedContext.mediaId',
    'candidates[].groundingMetadata.groundingChunks[retrievedContext].retrievedContext.pageNumber',
    'candidates[].groundingMetadata.groundingChunks[retrievedContext].retrievedContext.ragChunk',
    'candidates[].groundingMetadata.groundingChunks[web].web.domain',
    'candidates[].groundingMetadata.groundingSupports[].confidenceScores',
    'candidates[].groundingMetadata.groundingSupports[].renderedParts',
  ],
  'offsets of a segment: its text locates it, offsets only if it has none': [
    'candidates[].groundingMetadata.groundingSupports[].segment.endIndex',
    'candidates[].groundingMetadata.groundingSupports[].segment.partIndex',
    'candidates[].groundingMetadata.groundingSupports[].segment.startIndex',
  ],
  'search internals and display data: other formats do not have them': [
    'candidates[].groundingMetadata.googleMapsWidgetContextToken',
    'candidates[].groundingMetadata.retrievalMetadata',
    'candidates[].groundingMetadata.retrievalQueries',
    'candidates[].groundingMetadata.searchEntryPoint',
    'candidates[].groundingMetadata.sourceFlaggingUris',
    'candidates[].urlContextMetadata',
  ],
  'partial arguments and continuations, which only callers of the format can request': [
    'candidates[].content.parts[functionCall].functionCall.partialArgs',
    'candidates[].content.parts[functionCall].functionCall.willContinue',
    'candidates[].continuationToken',
  ],
  'individual calls of hosted tools, which only callers of the format can request': [
    'candidates[].content.parts[functionResponse]',
    'candidates[].content.parts[toolCall]',
    'candidates[].content.parts[toolResponse]',
  ],
  "files in the provider's account": ['candidates[].content.parts[fileData]'],
  'audio, video and resolution metadata: other formats have no such responses': [
    'candidates[].content.parts[audioTranscription]',
    'candidates[].content.parts[mediaProcessing]',
    'candidates[].content.parts[mediaResolution]',
    'candidates[].content.parts[partMetadata]',
    'candidates[].content.parts[speechMetadata]',
    'candidates[].content.parts[videoMetadata]',
  ],
  'display name of an image': ['candidates[].content.parts[inlineData].inlineData.displayName'],
} as const;

export const unmappedFields: UnmappedFields = { whole: ofEverything, events: ofEverything };
