// The way of a call to a provider, as far as formats need to know it: in which of the provider's formats it goes, and by which rules.
import type { Framing } from '#server/framing/framing.ts';
import type { ModelFacts } from '#server/model-facts/model-facts.ts';
import type { IdentityPath } from './identity.ts';
import type { ReasoningWish } from './parts.ts';
import type { ModelRule, ProviderTraits } from './provider-traits.ts';
import type { UpstreamDialect } from './upstream-dialect.ts';

export interface Route {
  /** The provider's format that was chosen for this client. */
  readonly dialect: UpstreamDialect;
  /** How streams come in that format. */
  readonly framing: Framing;
  /** How the provider differs from others that speak it. */
  readonly provider: ProviderTraits;
  /** The way of bytes; null: the client speaks another format. */
  readonly identity: IdentityPath | null;
  /** The name that goes upstream. */
  readonly upstreamModel: string;
  /** What the provider calls that model in its addresses. */
  readonly nameThere: string;
  /** The name that facts of the model are found by: that one, or its caller's where it tells nothing. */
  readonly knownAs: string;
  /** Undefined: nothing is known of it. */
  readonly facts: ModelFacts | undefined;
  readonly rules: readonly ModelRule[];
  /** Fields that the name's ending stands for. */
  readonly set: Readonly<Record<string, unknown>> | null;
  /** How much the model shall think by its name's ending, where its client does not say; missing: the name says nothing. */
  readonly thinkingWish?: ReasoningWish;
  readonly isDeveloperRole: boolean;
  readonly setting: {
    /** Responses are rebuilt from the fields that their format knows. */
    readonly forceFormat: boolean;
    /** Reasoning text becomes content within `<think>` tags. */
    readonly thinkingToContent: boolean;
    /** What costs more than the model's price passes. */
    readonly allowsSurcharges?: boolean;
    /** Deployments are called as their models are, with dots. */
    readonly preservesDots?: boolean;
  };
  /** Null when nothing is overridden. */
  readonly paramOverride: Readonly<Record<string, unknown>> | null;
}
