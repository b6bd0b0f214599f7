// What a format needs to know of the channel that a call goes through, and of the call's way there.
import type { Framing } from '#server/framing/framing.ts';
import type { ModelRule, ProviderTraits } from './provider-traits.ts';
import type { UpstreamDialect } from './upstream-dialect.ts';

export interface DialectChannel {
  /** The format that its provider speaks. */
  readonly dialect: UpstreamDialect;
  /** How its provider's streams come. */
  readonly framing: Framing;
  readonly provider: ProviderTraits | null;
  readonly setting: {
    /** Responses are rebuilt from the fields that their format knows. */
    readonly forceFormat: boolean;
    /** Reasoning text becomes content within `<think>` tags. */
    readonly thinkingToContent: boolean;
  };
  /** Null when nothing is overridden. */
  readonly paramOverride: Readonly<Record<string, unknown>> | null;
}

/** What is known of a call of one model through one channel before its body is. */
export interface RequestPlan {
  /** The name that goes upstream. */
  readonly upstreamModel: string;
  readonly rules: readonly ModelRule[];
  /** Fields that the name's ending stands for. */
  readonly set: Readonly<Record<string, unknown>> | null;
  readonly isDeveloperRole: boolean;
}
