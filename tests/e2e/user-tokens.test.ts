// An administrator finds out who has a key, disables it with a reason, and its owner reads that.
import { expect, it } from 'vitest';
import { createVisitor, describeInBrowser, type VisitorOptions } from './support/browser.ts';
import { furnish } from './support/furnish.ts';
import { lookInTurn } from './support/in-turn.ts';
import { text } from './support/texts.ts';
import { startTidegate } from './support/tidegate.ts';
import { expectSoundScreen, settle, signIn } from './support/visit.ts';
import { savePicture } from './support/save-picture.ts';

const looks: Required<VisitorOptions>[] = [
  { size: 'phone', scheme: 'dark', language: 'en' },
  { size: 'tablet', scheme: 'light', language: 'zh' },
  { size: 'desk', scheme: 'light', language: 'en' },
];

describeInBrowser('tokens of users', () => {
  it.each(lookInTurn(looks))('are found by their key and disabled: $size, $scheme, $language', async (look) => {
    await using tidegate = await startTidegate();
    const { key } = await furnish(tidegate);
    const visitor = await createVisitor(tidegate.url, look);
    const { page } = visitor;
    const say = (name: string, values = {}) => text(name, values, look.language);
    const button = (name: string) => page.getByRole('button', { name: say(name), exact: true });
    const picture = (name: string) => savePicture(visitor, `user-tokens-${name}-${look.size}-${look.scheme}-${look.language}`);
    await signIn(visitor);
    await page.goto('/user');
    await settle(page);
    await page.getByRole('link', { name: say('users.action.tokens'), exact: true }).click();
    await button('user-tokens.find.action').click();
    await page.getByRole('textbox', { name: say('user-tokens.find.key') }).fill(key);
    await button('user-tokens.find.search').click();
    await button('user-tokens.find.open').waitFor();
    await picture('found');
    expect(page.url()).not.toContain(key.slice(-8));
    await button('user-tokens.find.open').click();
    await page.getByText(say('user-tokens.held.hint')).waitFor();
    await settle(page);
    await expectSoundScreen(visitor);
    await picture('panel');
    await button('user-tokens.block.action').click();
    await page.getByRole('textbox', { name: say('user-tokens.block.reason') }).fill('Found in a public repository');
    await picture('block');
    await page.keyboard.press('Enter');
    await page.getByText('Found in a public repository').first().waitFor();
    await settle(page);
    await expectSoundScreen(visitor);
    await picture('blocked');
    const answer = await fetch(`${tidegate.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
    expect(answer.status).toBe(401);
    await button('user-tokens.move.action').click();
    await picture('move');
    await page.keyboard.press('Escape');
    // As its owner, who is the administrator here.
    const id = new URL(page.url()).searchParams.get('open');
    await page.goto(`/token?open=${id}`);
    await page.getByText(say('tokens.blocked', { reason: 'Found in a public repository' })).waitFor();
    await settle(page);
    await expectSoundScreen(visitor);
    await picture('owner');
    await page.goto('/user/edit/2');
    await page.getByText(say('users.tokens.title'), { exact: true }).click();
    await settle(page);
    await picture('user');
    await visitor.context.close();
  });
});
