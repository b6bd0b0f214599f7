import { safeLink } from '#shared/links.ts';
import type { PaymentForm } from '#shared/wallet.ts';

/** Leaves for the payment provider's page: in a window of its own, where browsers let a page open one that late. */
export function submitPayment({ url, fields }: PaymentForm): void {
  const address = safeLink(url, 'web');
  if (address === undefined) return;
  const form = document.createElement('form');
  form.method = 'POST';
  form.action = address;
  if (!isSafari()) {
    form.target = '_blank';
    form.rel = 'noopener';
  }
  for (const [name, value] of Object.entries(fields)) {
    const field = document.createElement('input');
    field.type = 'hidden';
    field.name = name;
    field.value = value;
    form.append(field);
  }
  form.hidden = true;
  document.body.append(form);
  form.submit();
  form.remove();
}

/** It opens no window after an answer was waited for. */
function isSafari(): boolean {
  return /safari/i.test(navigator.userAgent) && !/chrome|chromium|android/i.test(navigator.userAgent);
}
