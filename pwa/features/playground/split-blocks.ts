// An answer grows at its end. Cut into blocks that stand for themselves, only the last one is read and drawn again.

const fence = /^\s*(`{3,}|~{3,})/;
const listItem = /^(?:[-*+]|\d{1,9}[.)])\s/;

/** Blocks of Markdown that mean the same alone as together; joined with an empty line they are the text. */
export function splitBlocks(text: string): string[] {
  const blocks: string[] = [];
  let block: string[] = [];
  let open = '';
  let wasEmpty = false;
  for (const line of text.split('\n')) {
    const mark = fence.exec(line)?.[1];
    const starts = open === '' && wasEmpty && /^\S/.test(line) && !(listItem.test(line) && listItem.test(block[0] ?? ''));
    if (starts && block.length > 0) {
      blocks.push(block.join('\n').trimEnd());
      block = [];
    }
    if (mark !== undefined) {
      if (open === '') open = mark;
      else if (mark.startsWith(open) && line.trim() === mark) open = '';
    }
    wasEmpty = open === '' && line.trim() === '';
    if (!wasEmpty || block.length > 0) block.push(line);
  }
  if (block.length > 0) blocks.push(block.join('\n'));
  return blocks;
}
