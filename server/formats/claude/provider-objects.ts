// Ids of files, containers and skills in the provider's account.
import { isObject } from '#server/framing/loose-json.ts';
import { firstFilled, firstIn, isFilled } from '../provider-objects.ts';
import type { Body } from '#server/framing/strict-fields.ts';

export function findAccountObject({ container, messages, system }: Body, own?: string): string | undefined {
  return (
    inContainer(container, own) ??
    firstIn(system, 'system', inBlock) ??
    firstIn(messages, 'messages', ({ content }, path) => firstIn(content, `${path}.content`, inBlock))
  );
}

/** Finds an id in a container; Anthropic's public skills are not in an account. */
function inContainer(container: unknown, own: string | undefined): string | undefined {
  if (!isObject(container)) return isFilled(container) && container !== own ? 'container' : undefined;
  const isOwn = (skill: Body, path: string) => (skill.type === 'anthropic' ? undefined : `${path}.skill_id`);
  return (
    (container.id === own ? undefined : firstFilled(container, 'container', ['id'])) ?? firstIn(container.skills, 'container.skills', isOwn)
  );
}

function inBlock(block: Body, path: string): string | undefined {
  switch (block.type) {
    case 'container_upload':
      return firstFilled(block, path, ['file_id']);
    case 'image':
    case 'document':
      return isObject(block.source) ? inSource(block.source, `${path}.source`) : undefined;
    case 'tool_result':
      return firstIn(block.content, `${path}.content`, inBlock);
    default:
      return undefined;
  }
}

function inSource(source: Body, path: string): string | undefined {
  return firstFilled(source, path, ['file_id']) ?? firstIn(source.content, `${path}.content`, inBlock);
}
