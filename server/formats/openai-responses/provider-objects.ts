// Files, containers and stores of a Responses request that lie in the provider's account.
import { isObject } from '#server/framing/loose-json.ts';
import { firstFilled, firstIn, isFilled } from '../provider-objects.ts';
import type { Body } from '../strict-fields.ts';

export function findAccountObject({ input, tools }: Body): string | undefined {
  return firstIn(tools, 'tools', inTool) ?? firstIn(input, 'input', inItem);
}

/**
 * What code an earlier turn ran keeps the id of its container: that is the caller's own, and a conversation without it is a wrong one.
 */
function inItem({ content, output, tools }: Body, path: string): string | undefined {
  return (
    firstIn(content, `${path}.content`, inPart) ?? firstIn(output, `${path}.output`, inPart) ?? firstIn(tools, `${path}.tools`, inTool)
  );
}

function inPart(part: Body, path: string): string | undefined {
  const isMedia = part.type === 'input_file' || part.type === 'input_image' || part.type === 'computer_screenshot';
  return isMedia ? firstFilled(part, path, ['file_id']) : undefined;
}

function inTool(tool: Body, path: string): string | undefined {
  if (tool.type === 'function' || tool.type === 'custom') return undefined;
  const { container, environment, input_image_mask: mask } = tool;
  if (typeof container === 'string' && isFilled(container)) return `${path}.container`;
  return (
    firstFilled(tool, path, ['vector_store_ids', 'file_ids']) ??
    (isObject(container) ? inContainer(container, `${path}.container`) : undefined) ??
    (isObject(environment) ? inContainer(environment, `${path}.environment`) : undefined) ??
    (isObject(mask) ? firstFilled(mask, `${path}.input_image_mask`, ['file_id']) : undefined)
  );
}

/** Skills of OpenAI's own, which have no such ids, are everybody's. */
function inContainer(container: Body, path: string): string | undefined {
  const inSkill = ({ skill_id: id }: Body, at: string) =>
    typeof id === 'string' && id.startsWith('skill_') ? `${at}.skill_id` : undefined;
  return firstFilled(container, path, ['container_id', 'file_ids']) ?? firstIn(container.skills, `${path}.skills`, inSkill);
}
