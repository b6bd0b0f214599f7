// No account reads or changes another's records: every call of the console with the ids of another account's records.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Role } from '#shared/roles.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { consoleCalls, endlessCalls, nameOf } from '#tests/conformance/console-calls.ts';
import { type MountedCall, mountedCalls, type Property } from '#tests/conformance/mounted-calls.ts';
import { buildLog } from '#tests/support/build-log.ts';
import { createToken } from '#tests/support/build-token.ts';
import { engines } from '#tests/support/engines.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';

/** Marks whatever belongs to the victim. */
const mark = 'harbourseal';

describe.each(engines)('owners on $kind', (engine) => {
  let app: TestApp;
  let mounted: Map<string, MountedCall>;
  beforeAll(async () => {
    app = await createTestApp(engine);
    await app.setup();
    mounted = await mountedCalls(app);
  });
  afterAll(() => app.close());

  async function createVictim(role: UserRecord['role']): Promise<{ victim: UserRecord; ids: number[]; key: string }> {
    const suffix = app.context.randomText(4);
    const victim = await app.createUser({
      username: `seal${suffix}`,
      display_name: mark,
      email: `${mark}${suffix}@example.com`,
      role,
      quota: 5000,
    });
    const { token, key } = await createToken(app.context, victim.id, { name: mark, quota: 1000 });
    const id = await app.context.db.nextId('logs');
    await app.context.db.collection('logs').insert(buildLog({ id, user_id: victim.id, username: mark, token_name: mark, content: mark }));
    return { victim, ids: [victim.id, token.id, id], key };
  }

  /** What belongs to the account, as it is stored. */
  async function belongings(userId: number): Promise<unknown> {
    const { db } = app.context;
    const [user, tokens, logs, sessions] = await Promise.all([
      db.collection('users').get(userId),
      db.collection('tokens').find({ user_id: userId }, { sort: [['id', 1]] }),
      db.collection('logs').find({ user_id: userId }, { sort: [['id', 1]] }),
      db.collection('sessions').find({ user_id: userId }, { sort: [['id', 1]] }),
    ]);
    return { user, tokens, logs, sessions };
  }

  /** Bodies that name the record in every field that could mean it. */
  function bodiesFor(body: Property, id: number, victim: UserRecord): unknown[] {
    const named: Record<string, unknown> = {};
    for (const [name, property] of Object.entries(body.properties ?? {})) named[name] = aimedAt(name, property, id, victim);
    const actions = body.properties?.['action']?.enum ?? body.properties?.['status']?.enum ?? [];
    const field = body.properties?.['action'] === undefined ? 'status' : 'action';
    return [
      named,
      { id },
      { ...named, quota: 999_999, role: 1, status: 2, password: 'taken over' },
      ...actions.map((action) => ({ ...named, [field]: action })),
    ];
  }

  const attackers = [
    ['a user', 'another user', Role.user, Role.user, ['user', 'optional', 'public']],
    ['an administrator', 'another administrator', Role.admin, Role.admin, ['admin', 'user', 'optional', 'public']],
    ['an administrator', 'a super administrator', Role.admin, Role.root, ['admin', 'user', 'optional', 'public']],
  ] as const;

  it.each(attackers)(
    '%s cannot change or read what belongs to %s',
    { timeout: 120_000 },
    async (_who, _whose, role, victimRole, levels) => {
      const { victim, ids, key } = await createVictim(victimRole);
      const before = await belongings(victim.id);
      for (const call of consoleCalls) {
        const name = nameOf(call);
        const known = mounted.get(name);
        if (endlessCalls.includes(name) || known === undefined || !levels.some((level) => level === call.access)) continue;
        // Administrators may list every call, and old rows are deleted by age for every account.
        if (role >= Role.admin && (name.startsWith('GET /api/log') || name === 'DELETE /api/log/')) continue;
        const attacker = await app.as(await app.createUser({ role }));
        for (const id of call.path.includes('{') || known.body !== null ? ids : [victim.id]) {
          const path = call.path.replaceAll(/\{\w+\}/g, String(id));
          const bodies = known.body === null ? [undefined] : bodiesFor(known.body, id, victim);
          for (const body of bodies) {
            const query =
              known.body === null && call.method === 'GET'
                ? `?user_id=${victim.id}&id=${id}&username=${victim.username}&keyword=${mark}`
                : '';
            const answer = await attacker.call(call.method, path + query, body);
            expect(await belongings(victim.id), `${name} with ${JSON.stringify(body)?.slice(0, 300)} and id ${id}`).toEqual(before);
            if (role < Role.admin) expect(JSON.stringify(answer.body), `${name} at ${id}`).not.toContain(mark);
            expect(JSON.stringify(answer.body), `${name} at ${id} tells the key`).not.toContain(key.slice(3));
          }
        }
      }
    },
  );
});

function aimedAt(name: string, property: Property, id: number, victim: UserRecord): unknown {
  if (name === 'username') return victim.username;
  if (name === 'email') return victim.email;
  if (name === 'key') return 'sk-a-guess';
  switch (Array.isArray(property.type) ? property.type[0] : property.type) {
    case 'array':
      return [id];
    case 'integer':
    case 'number':
      return name.endsWith('id') ? id : 1;
    case 'boolean':
      return true;
    case 'object':
      return {};
    default:
      return property.enum?.[0] ?? 'taken';
  }
}
