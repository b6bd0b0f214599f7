// Resolved upstream route of a call: format, provider traits, model name.
import type { ParamOperation } from '#shared/param-operations.ts';
import type { Framing } from '#server/framing/framing.ts';
import type { ModelFacts } from '#server/model-facts/model-facts.ts';
import type { IdentityPath } from './identity.ts';
import type { ReasoningWish } from './parts.ts';
import type { ModelRule, ProviderTraits } from './provider-traits.ts';
import type { UpstreamDialect } from './upstream-dialect.ts';

export interface Route {
  /** Provider's format for calls in the client's format. */
  readonly dialect: UpstreamDialect;
  /** Framing of the provider's streams. */
  readonly framing: Framing;
  readonly provider: ProviderTraits;
  /** Identity path; null if the client uses another format. */
  readonly identity: IdentityPath | null;
  /** Model name sent upstream. */
  readonly upstreamModel: string;
  /** Model name in the provider's paths. */
  readonly nameThere: string;
  /** Name for looking up model facts: the upstream name, or the caller's if the upstream's is unknown. */
  readonly knownAs: string;
  /** Facts about the model; undefined if it is unknown. */
  readonly facts: ModelFacts | undefined;
  readonly rules: readonly ModelRule[];
  /** Fields set by the model name's suffix. */
  readonly set: Readonly<Record<string, unknown>> | null;
  /** Thinking set by the model name's suffix, unless the client sets it. If undefined, none. */
  readonly thinkingWish?: ReasoningWish;
  readonly isDeveloperRole: boolean;
  readonly setting: {
    /** Rebuilds responses from the fields of their format. */
    readonly forceFormat: boolean;
    /** Moves reasoning into content as `<think>` tags. */
    readonly thinkingToContent: boolean;
    /** Allows fields with surcharges. */
    readonly allowsSurcharges?: boolean;
    /** Preserves dots of model names in deployment names. */
    readonly preservesDots?: boolean;
    /** Text that is added where a request has no system prompt and, if it overrides, before one. */
    readonly systemPrompt?: { readonly text: string; readonly overrides: boolean };
    /** Forwards bodies unchanged to a provider of the caller's format. */
    readonly passesBodies?: boolean;
  };
  /** Fields that the channel overrides; null for none. */
  readonly paramOverride: Readonly<Record<string, unknown>> | null;
  /** Edits that the channel applies to the provider's request, after these fields. */
  readonly paramOperations?: readonly ParamOperation[];
}
