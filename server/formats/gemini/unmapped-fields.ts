// Response fields of `generateContent` that are not mapped to other formats, by reason.
import type { UnmappedFields } from '../unmapped-fields.ts';

const ofEverything = {
  "a name of its own: responses have ids of the caller's format": ['responseId'],
  'when and by which stage of a model: other formats have no place for it': ['createTime', 'modelStatus'],
  'ratings of what was not stopped, and words about what was: why it ends is heard': [
    'candidates[].safetyRatings',
    'candidates[].finishMessage',
    'promptFeedback.safetyRatings',
  ],
  'numbers that follow from those that are heard': [
    'candidates[].avgLogprobs',
    'candidates[].logprobsResult.logProbabilitySum',
    'candidates[].tokenCount',
    'usageMetadata.candidatesTokenCount',
    'usageMetadata.initialPromptTokenCount',
  ],
  'tokens by their numbers, which are those of one vendor': [
    'candidates[].logprobsResult.chosenCandidates[].tokenId',
    'candidates[].logprobsResult.topCandidates[candidates].candidates[].tokenId',
  ],
  'more about a source than its address, its title and how it begins': [
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
  'where in the text a source is meant: the text of the segment tells it, its numbers where there is none': [
    'candidates[].groundingMetadata.groundingSupports[].segment.endIndex',
    'candidates[].groundingMetadata.groundingSupports[].segment.partIndex',
    'candidates[].groundingMetadata.groundingSupports[].segment.startIndex',
  ],
  'what a search has gone through and is shown with: other formats have no place for it': [
    'candidates[].groundingMetadata.googleMapsWidgetContextToken',
    'candidates[].groundingMetadata.retrievalMetadata',
    'candidates[].groundingMetadata.retrievalQueries',
    'candidates[].groundingMetadata.searchEntryPoint',
    'candidates[].groundingMetadata.sourceFlaggingUris',
    'candidates[].urlContextMetadata',
  ],
  'arguments in pieces, and how a response goes on, which only callers of the format can ask for': [
    'candidates[].content.parts[functionCall].functionCall.partialArgs',
    'candidates[].content.parts[functionCall].functionCall.willContinue',
    'candidates[].continuationToken',
  ],
  'tools of the provider that are told one by one, which only callers of the format can ask for': [
    'candidates[].content.parts[functionResponse]',
    'candidates[].content.parts[toolCall]',
    'candidates[].content.parts[toolResponse]',
  ],
  'files in the account of the provider': ['candidates[].content.parts[fileData]'],
  'what belongs to sounds, videos and how closely they are looked at: other formats have no such responses': [
    'candidates[].content.parts[audioTranscription]',
    'candidates[].content.parts[mediaProcessing]',
    'candidates[].content.parts[mediaResolution]',
    'candidates[].content.parts[partMetadata]',
    'candidates[].content.parts[speechMetadata]',
    'candidates[].content.parts[videoMetadata]',
  ],
  'the name of a picture': ['candidates[].content.parts[inlineData].inlineData.displayName'],
} as const;

export const unmappedFields: UnmappedFields = { whole: ofEverything, events: ofEverything };
