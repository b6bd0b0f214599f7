// `/setup.sh` and `/setup.ps1`: scripts that get a key by a device code and write the settings of a program.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { RouteHost } from '#server/http/mount.ts';
import { addressOfRequest } from '#server/settings/address-of-request.ts';

/** What an address may consist of that stands in a script, within single quotes. */
const plainAddress = /^https?:\/\/[\w.:[\]/~%-]+$/;
const placeholder = '@ADDRESS@';

export function mountSetupScripts(host: RouteHost): void {
  for (const name of ['setup.sh', 'setup.ps1']) {
    const script = readFileSync(path.join(import.meta.dirname, name), 'utf8');
    host.add('GET', `/${name}`, (request, _params, connection) => {
      const facts = host.facts(request, connection);
      const address = addressOfRequest(host.context, facts);
      const isPlain = plainAddress.test(address);
      return new Response(isPlain ? script.replaceAll(placeholder, address) : 'The address of this server cannot stand in a script\n', {
        status: isPlain ? 200 : 500,
        headers: {
          'content-type': 'text/plain; charset=utf-8',
          'cache-control': 'no-store',
          'x-content-type-options': 'nosniff',
          'x-oneapi-request-id': facts.requestId,
        },
      });
    });
  }
}
