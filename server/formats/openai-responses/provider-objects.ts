// Ids of files, containers and stores in the provider's account.
import { isObject } from '#server/framing/loose-json.ts';
import { firstFilled, firstIn, isFilled } from '../provider-objects.ts';
import type { Body } from '#server/framing/strict-fields.ts';

export function findAccountObject({ input, tools }: Body): string | undefined {
  return firstIn(tools, 'tools', inTool) ?? firstIn(input, 'input', inItem);
}

/** Code results of earlier turns contain a container id: it is the caller's, and the conversation would be wrong without it. */
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

/** Finds an id in a container; OpenAI's public skills have other ids. */
function inContainer(container: Body, path: string): string | undefined {
  const inSkill = ({ skill_id: id }: Body, at: string) =>
    typeof id === 'string' && id.startsWith('skill_') ? `${at}.skill_id` : undefined;
  return firstFilled(container, path, ['container_id', 'file_ids']) ?? firstIn(container.skills, `${path}.skills`, inSkill);
}
