// Vendor transcription formats, by the name in a provider's record.
import type { CallInput, EncodedRequest } from '#server/formats/encode-input.ts';
import type { Body } from '#server/framing/strict-fields.ts';
import { encodeAsChat, transcriptOfChat } from './chat-transcripts.ts';
import { encodeForWorkers, transcriptOfWorkers } from './workers-transcripts.ts';

export interface VendorTranscripts {
  /**
   * @param isTranslated translate into English
   * @throws {AppError} `untranslatable`, `invalid_request`
   */
  encode(requested: CallInput, isTranslated: boolean): EncodedRequest;
  /** Maps the response to OpenAI's; returns null if it is not a transcript. */
  read(reported: Body): Record<string, unknown> | null;
}

const routes: Readonly<Record<string, VendorTranscripts>> = {
  chat: { encode: encodeAsChat, read: transcriptOfChat },
  workers: { encode: encodeForWorkers, read: transcriptOfWorkers },
};

/** Returns null if the provider takes OpenAI's form. */
export function vendorTranscriptsOf({ route }: Pick<CallInput, 'route'>): VendorTranscripts | null {
  const { transcripts: name } = route.provider;
  return name !== undefined && Object.hasOwn(routes, name) ? (routes[name] ?? null) : null;
}
