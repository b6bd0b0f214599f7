// Lists the models that a caller may use, in the caller's format, with a tag that changes with the list.
import { createHash } from 'node:crypto';
import { pricedName } from '#shared/pricing-rules.ts';
import type { ApiSurface, ListedModel } from '#server/surfaces/api-surface.ts';
import type { Admission } from '#server/call/admission/admission.ts';
import { autoGroupsOf } from '#server/call/admission/auto-group.ts';
import type { AppContext } from '#server/context.ts';
import type { RelayServices } from '#server/call/services.ts';
import { ownerOf } from '#server/exchange/model-owners.ts';

type ListServices = Pick<RelayServices, 'channels'> & { context: Pick<AppContext, 'settings'> };

/** Returns the sorted models that a key may use: the key's list, or those that enabled channels serve to its group. */
export function modelsOf({ channels, context }: ListServices, admission: Admission): readonly string[] {
  const { models, group, policies } = admission;
  const names = models === null ? channels.enabledModels(autoGroupsOf(context.settings, admission) ?? [group]) : [...models].toSorted();
  if (policies === undefined) return names;
  return names.filter((name) => policies.every((policy) => policy.models === null || hasModel([...policy.models], name)));
}

/** Reports whether the list has a model, or the name that it is priced as. */
export function hasModel(names: readonly string[], model: string): boolean {
  return names.includes(model) || names.includes(pricedName(model));
}

export function listedModel(id: string): ListedModel {
  return { id, owner: ownerOf(id) };
}

const noQuery = new URLSearchParams();

/** Returns the tag of a list. */
export function tagOf(list: object): string {
  return `"${createHash('sha256').update(JSON.stringify(list)).digest('base64url').slice(0, 22)}"`;
}

export interface ModelTags {
  /** Returns the tag of the caller's whole list in the surface's format. Cached until a channel changes. */
  read(admission: Admission, surface: ApiSurface): string;
}

/** Maximum cached tags: each key may have another list. */
const mostTags = 1000;

export function createModelTags(services: ListServices): ModelTags {
  let revision = -1;
  const tags = new Map<ReadonlySet<string> | string, string>();
  return {
    read(admission, surface) {
      const { channels, context } = services;
      const tagged = () => tagOf(surface.writeModelList(modelsOf(services, admission).map(listedModel), noQuery));
      // Lists of organisations are few.
      if (admission.policies !== undefined) return tagged();
      if (revision !== channels.revision || tags.size >= mostTags) tags.clear();
      revision = channels.revision;
      const key = admission.models ?? autoGroupsOf(context.settings, admission)?.join(',') ?? admission.group;
      const known = tags.get(key);
      if (known !== undefined) return known;
      const tag = tagged();
      tags.set(key, tag);
      return tag;
    },
  };
}
