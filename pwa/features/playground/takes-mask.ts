/** Whether the model reads a mask of the parts of a picture to repaint. */
export function takesMask(model: string): boolean {
  return /^(?:chat)?gpt-image|^dall-e-2/.test(model);
}
