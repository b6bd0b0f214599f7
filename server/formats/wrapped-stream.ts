// Base of pipes that edit the events of another pipe on their way to the client.
import type { TokenUsage } from '#shared/token-usage.ts';
import type { ErrorObject } from '#server/surfaces/api-surface.ts';
import type { ResponsePart } from './parts.ts';
import { type PipeStep, pushWhole, type ReportedUsage, type StreamOpening, type StreamPipe } from './stream-pipe.ts';

export abstract class WrappedStream implements StreamPipe {
  protected readonly pipe: StreamPipe;

  constructor(pipe: StreamPipe) {
    this.pipe = pipe;
  }

  get bytes(): number {
    return this.pipe.bytes;
  }

  open(events: Buffer): StreamOpening {
    return this.pipe.open(events);
  }

  push(events: Buffer, isOwned: boolean): PipeStep {
    return this.edit(this.pipe.push(events, isOwned));
  }

  pushWhole(parts: readonly ResponsePart[], bytes: number): PipeStep {
    return this.edit(pushWhole(this.pipe, parts, bytes));
  }

  /** Edits a step before it is returned. */
  protected abstract edit(step: PipeStep): PipeStep;

  isEvent(rest: Buffer): boolean {
    return this.pipe.isEvent(rest);
  }

  hasContent(): boolean {
    return this.pipe.hasContent?.() ?? true;
  }

  hasFinished(): boolean {
    return this.pipe.hasFinished();
  }

  dropUnfinished(): void {
    this.pipe.dropUnfinished?.();
  }

  roughTokens(): number {
    return this.pipe.roughTokens();
  }

  reportedUsage(): ReportedUsage {
    return this.pipe.reportedUsage();
  }

  countTokens(): Promise<number> {
    return this.pipe.countTokens();
  }

  keepAlive(): string {
    return this.pipe.keepAlive();
  }

  fail(error: ErrorObject): string {
    return this.pipe.fail(error);
  }

  abstract ending(usage: TokenUsage | null): Buffer;

  close(): void {
    this.pipe.close();
  }
}
