// Providers that are asked for a transcript in a way of their own, by the name that their record has for it.
import type { CallInput, EncodedRequest } from '#server/formats/encode-input.ts';
import type { Body } from '#server/formats/strict-fields.ts';
import { encodeAsChat, transcriptOfChat } from './chat-transcripts.ts';
import { encodeForWorkers, transcriptOfWorkers } from './workers-transcripts.ts';

export interface VendorTranscripts {
  /** @param isTranslated into English @throws {AppError} `untranslatable`, `invalid_request` */
  encode(requested: CallInput, isTranslated: boolean): EncodedRequest;
  /** The response as OpenAI tells one; null: it is none. */
  read(reported: Body): Record<string, unknown> | null;
}

const routes: Readonly<Record<string, VendorTranscripts>> = {
  chat: { encode: encodeAsChat, read: transcriptOfChat },
  workers: { encode: encodeForWorkers, read: transcriptOfWorkers },
};

/** Null: it is asked by a form. */
export function vendorTranscriptsOf({ route }: Pick<CallInput, 'route'>): VendorTranscripts | null {
  const { transcripts: name } = route.provider;
  return name !== undefined && Object.hasOwn(routes, name) ? (routes[name] ?? null) : null;
}
