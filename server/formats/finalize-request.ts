// Last steps of every request that is not forwarded as text, whatever its client format.
import { withChannelEdits, withSystemPrompt } from './channel-edits.ts';
import { bodyOfValue } from '#server/framing/long-json.ts';
import type { EncodedRequest, EncodeInput } from './encode-input.ts';
import { refuseAccountObject, withoutCallerFiles } from './provider-objects.ts';
import { requestedTier } from './service-tier.ts';
import { wrapBody } from './wrap-body.ts';
import { hostedIfCut } from './hosted-tools.ts';
import { retainLimits, noLimits } from './token-limits.ts';
import { allNames, seenName, type SeenNames } from './seen-names.ts';
import type { WrittenRequest } from './upstream-dialect.ts';

type Body = Readonly<Record<string, unknown>>;

/**
 * Applies traits, the channel's fields and limits to a request in the provider's format.
 * @throws {AppError} `account_object_refused`
 */
export function finalizeRequest({ body: written, dropped, files, doubtful }: WrittenRequest, input: EncodeInput): EncodedRequest {
  const { dialect, provider } = input.route;
  const { providerObject: own } = input;
  // Checked before the channel's fields are added: an operator may share objects of the account.
  refuseAccountObject(dialect.findAccountObject(withoutCallerFiles(written, input.callerFiles), own?.reported));
  const body = own === undefined ? written : (dialect.openAccountObject?.(written, own) ?? written);
  const applied = dialect.applyTraits(body, input);
  const bounded = retainLimits(
    withChannelEdits(withSystemPrompt(applied.body, input), input),
    input,
    provider.takesNoLimit === true ? noLimits : dialect.limits,
  );
  const final = dialect.normalize?.(bounded, input) ?? bounded;
  const described = describeRequest(final, input);
  const sent = wrapBody({ body: final, headers: described.headers }, input);
  return {
    ...described,
    headers: sent.headers,
    body: bodyOfValue(sent.body, input.longTexts),
    dropped: [...dropped, ...applied.dropped, ...sent.dropped],
    ...(doubtful === undefined || doubtful.length === 0 ? {} : { doubtful }),
    ...(files === undefined || files.length === 0 ? {} : { files }),
  };
}

/**
 * Returns the facts of a request that its bytes do not show.
 * @param seen names that its body may have
 */
export function describeRequest(body: Body, input: EncodeInput, seen: SeenNames = allNames): Omit<EncodedRequest, 'body' | 'dropped'> {
  const { dialect } = input.route;
  return {
    headers: headersOf(input),
    upstreamModel: typeof body['model'] === 'string' ? body['model'] : input.route.upstreamModel,
    reasoningEffort: dialect.effortOf(body),
    sentLimit: limitOfAll(body, dialect),
    hostedVariants: input.isCount === true ? undefined : dialect.hosted?.variants?.(body),
    hostedLeast: input.isCount === true ? undefined : dialect.hosted?.atLeast?.(body),
    requestedTier: requestedTier(body),
    writesLong: (seen & seenName.cache) !== 0 && dialect.writesLong?.(body) === true,
    hostedIfCut: input.isCount === true || dialect.hosted?.reportedAtEnd === undefined ? undefined : hostedIfCut(dialect.hosted, body),
  };
}

function limitOfAll(body: Body, dialect: EncodeInput['route']['dialect']): number | undefined {
  const limit = dialect.limits.read(body);
  return limit === undefined ? undefined : limit * (dialect.choicesIn?.(body) ?? 1);
}

function headersOf(input: EncodeInput): Readonly<Record<string, string>> | null {
  const { client, route, clientHeaders } = input;
  const own = route.dialect.headers?.(input);
  // The caller's headers are forwarded only to a provider of the same format.
  const forwarded =
    route.identity !== null && client.surface.forwardedHeaders.length > 0 ? ofKnownVersion(clientHeaders, route) : undefined;
  return own === undefined && forwarded === undefined ? null : { ...forwarded, ...own };
}

/** Drops a version header that a provider with a fixed version would reject. */
function ofKnownVersion(headers: EncodeInput['clientHeaders'], { dialect, provider }: EncodeInput['route']): EncodeInput['clientHeaders'] {
  const { versionHeader } = dialect;
  if (versionHeader === undefined || provider.apiVersion !== undefined || headers[versionHeader] === undefined) return headers;
  const { [versionHeader]: _version, ...rest } = headers;
  return rest;
}
