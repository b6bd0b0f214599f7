// Tables as text (RFC 4180), as spreadsheets open them: what the server exports and what a device saves.

/** Byte order mark at the beginning of a file, by which spreadsheets detect UTF-8. */
export const csvMark = '\uFEFF';

export function csvRow(values: readonly (string | number)[]): string {
  return `${values.map(cell).join(',')}\r\n`;
}

/** A text that a spreadsheet would run as a formula is made a plain text (OWASP: CSV injection, wide forms included). */
function cell(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const text = /^[=+\-@\t\r\n|%＝＋－＠]|^[\s\uFEFF]+[=+\-@＝＋－＠]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
