// Files of the account that the tab acts for. A navigation carries no header, so a file of an organisation is fetched and then saved.
import { download } from '#pwa/ui/controls/download.ts';
import { toastFailure } from '#pwa/ui/frame/toast.ts';
import { actingHeader, actingId } from './acting.ts';
import { requestHeaders } from './call.ts';
import { CallFailure, failureOf, statusMessage } from './failure.ts';

/** A failure is shown as a toast. */
export function downloadAccountFile(address: string): void {
  if (actingId() === 0) download(address);
  else fetchFile(address).catch((error: unknown) => toastFailure(failureOf(error)));
}

async function fetchFile(address: string): Promise<void> {
  const headers = { ...requestHeaders(false), ...actingHeader({ organisation: 'member' }), Accept: '*/*' };
  const response = await fetch(address, { headers, credentials: 'same-origin' });
  if (!response.ok || response.headers.get('content-type')?.startsWith('application/json') === true) {
    throw new CallFailure({
      code: `http_${response.status}`,
      message: statusMessage(response.status, '', undefined),
      status: response.status,
      details: address,
    });
  }
  const name = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1];
  const { saveBlob } = await import('#pwa/ui/controls/save-text.ts');
  saveBlob(name ?? 'export.csv', await response.blob());
}
