import { createHmac } from 'node:crypto';

/** Identifies a master key without revealing it. */
export function keyMark(masterKey: string): string {
  return createHmac('sha256', masterKey).update('tidegate master key').digest('base64url');
}
