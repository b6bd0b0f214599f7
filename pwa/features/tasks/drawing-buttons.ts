import { z } from 'zod/mini';

export interface DrawingButton {
  label: string;
  /** What an action on it names. */
  customId: string;
}

const Text = z.catch(z.string(), '');
const Button = z.object({ customId: Text, emoji: Text, label: Text });

/** What Midjourney offers to do with a drawing next. A text that holds no such list offers nothing. */
export function drawingButtons(buttons: string): DrawingButton[] {
  let data: unknown;
  try {
    data = JSON.parse(buttons);
  } catch {
    return [];
  }
  if (!Array.isArray(data)) return [];
  return data.flatMap((one: unknown) => {
    const parsed = Button.safeParse(one);
    if (!parsed.success) return [];
    const { customId, emoji, label } = parsed.data;
    const name = [emoji, label].filter((part) => part !== '').join(' ');
    return name === '' && customId === '' ? [] : [{ label: name === '' ? customId : name, customId }];
  });
}
