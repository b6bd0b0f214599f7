// Providers that are asked for a transcript in a way of their own, by the name that their record has for it.
import type { CallInput, EncodedRequest } from '#server/formats/encode-input.ts';
import type { Body } from '#server/formats/strict-fields.ts';
import { encodeAsChat, transcriptOfChat } from './chat-transcripts.ts';
import { encodeForWorkers, transcriptOfWorkers } from './workers-transcripts.ts';

export interface OwnTranscripts {
  /** @param isTranslated into English @throws {AppError} `untranslatable`, `invalid_request` */
  encode(asked: CallInput, isTranslated: boolean): EncodedRequest;
  /** The response as OpenAI tells one; null: it is none. */
  read(told: Body): Record<string, unknown> | null;
}

const ways: Readonly<Record<string, OwnTranscripts>> = {
  chat: { encode: encodeAsChat, read: transcriptOfChat },
  workers: { encode: encodeForWorkers, read: transcriptOfWorkers },
};

/** Null: it is asked by a form. */
export function ownTranscriptsOf({ way }: Pick<CallInput, 'way'>): OwnTranscripts | null {
  const { transcripts: name } = way.provider;
  return name !== undefined && Object.hasOwn(ways, name) ? (ways[name] ?? null) : null;
}
