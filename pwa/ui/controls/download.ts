/** A file of the server's: the browser writes it to the disk as it comes. */
export function download(address: string): void {
  const link = document.createElement('a');
  link.href = address;
  link.download = '';
  link.click();
}
