// Signatures of tool calls, for callers that do not send them back.
import type { AppContext } from '#server/context.ts';
import type { SignatureMemory } from '#server/formats/signature-memory.ts';
import type { CallStage, ResponseReading, StageRun } from '#server/call/stages.ts';
import type { CallToSend } from '#server/exchange/exchange.ts';
import { createCallSignatures } from './call-signatures.ts';

export function signaturesStage(context: Pick<AppContext, 'now'>): CallStage {
  const signatures = createCallSignatures(context);
  return {
    name: 'signatures',
    // Only written responses call tools.
    applies: ({ kind }) => kind.isWritten,
    open: ({ admission }) => new Signatures(signatures.of(admission.user.id)),
  };
}

class Signatures implements StageRun {
  readonly #memory: SignatureMemory;

  constructor(memory: SignatureMemory) {
    this.#memory = memory;
  }

  request(sending: CallToSend): void {
    sending.signatures = this.#memory;
  }

  reading(reading: ResponseReading): void {
    reading.signatures = this.#memory;
  }
}
