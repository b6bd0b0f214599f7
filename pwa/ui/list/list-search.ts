import { z } from 'zod';

export const pageSizes = [10, 20, 50, 100] as const;
const storageKey = 'page-size';
const defaultSize = 10;

/** The page size that was chosen last on this device, in any list. */
export function rememberedPageSize(): number {
  const size = Number(localStorage.getItem(storageKey));
  return pageSizes.find((offered) => offered === size) ?? defaultSize;
}

export function rememberPageSize(size: number): void {
  localStorage.setItem(storageKey, String(size));
}

/** A text in the address; anything else counts as absent. Numbers that look like text come back as text. */
export const SearchText = z
  .union([z.string(), z.number().transform(String), z.boolean().transform(String)])
  .transform((text) => (text === '' ? undefined : text))
  .optional()
  .catch(undefined);

/** A whole number from 0 up in the address. */
export const SearchInt = z.coerce.number().int().min(0).optional().catch(undefined);

/** What every list keeps in its address: page (from 1), rows per page, the record that is open. */
export const ListSearch = z.object({
  p: z.coerce.number().int().min(1).max(1_000_000).optional().catch(undefined),
  size: z.coerce
    .number()
    .refine((size) => pageSizes.some((offered) => offered === size))
    .optional()
    .catch(undefined),
  open: SearchText,
});
export type ListSearch = z.infer<typeof ListSearch>;
