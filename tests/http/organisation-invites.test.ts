// Invitations to organisations: what stays of them with the members that they make.
import { describe, expect, it } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import type { TestClient } from '#tests/support/http-client.ts';
import { createTestApp } from '#tests/support/test-app.ts';

const path = '/api/organisation/';

describe.each(engines)('invitations to organisations on $kind', { concurrent: true }, (engine) => {
  it('the address of an invitation is shown with its member, to those who manage', async () => {
    await using app = await createTestApp(engine);
    const owner = await app.as(await app.createUser());
    const { id } = (await owner.post(path, { name: 'Harbour Labs', ref: 'reference-found' })).data as { id: number };
    const join = async (emails: string[]): Promise<TestClient> => {
      const { link, links } = (await owner.post(`${path}${id}/invites`, { emails, delivery: 'link', role: 'developer' })).data;
      const person = await app.as(await app.createUser());
      await person.post(`${path}invite/accept`, { token: (link ?? links[0].link).split('#')[1] });
      return person;
    };
    const ivy = await join(['Ivy@Example.org']);
    const ben = await join([]);
    const seen = async (reader: TestClient, { userId }: TestClient) =>
      (await reader.get(`${path}${id}/members`)).data.items.find((member: { user_id: number }) => member.user_id === userId);
    expect(await seen(owner, ivy)).toMatchObject({ source: 'invite', email: '', invited_email: 'ivy@example.org' });
    expect(await seen(owner, ben)).not.toHaveProperty('invited_email');
    expect(await seen(ben, ivy)).toMatchObject({ source: 'invite' });
    expect(await seen(ben, ivy)).not.toHaveProperty('invited_email');
  });
});
