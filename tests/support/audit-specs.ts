// What each call of the console leaves in the audit log, by its name as `nameOf` writes it.
import { readdirSync } from 'node:fs';
import type { AuditSpec } from '#shared/audit-spec.ts';

const shared = new URL('../../shared/', import.meta.url);

/** Reads the contracts in `shared/`. */
export async function readAuditSpecs(): Promise<ReadonlyMap<string, AuditSpec>> {
  const specs = new Map<string, AuditSpec>();
  for (const file of readdirSync(shared)) {
    if (!file.endsWith('.ts') || file.endsWith('.test.ts')) continue;
    const exported: unknown = await import(new URL(file, shared).href);
    for (const value of membersOf(exported)) {
      for (const endpoint of membersOf(value)) {
        if (!isAudited(endpoint)) continue;
        specs.set(`${endpoint.method} ${endpoint.path.replaceAll(/:(\w+)/g, '{$1}')}`, endpoint.audit);
      }
    }
  }
  return specs;
}

function membersOf(value: unknown): unknown[] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.values(value) : [];
}

function isAudited(value: unknown): value is { method: string; path: string; audit: AuditSpec } {
  return (
    typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'audit' in value && value.audit !== undefined
  );
}
