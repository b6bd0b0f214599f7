import { expect, test } from 'vitest';
import { sourceOf } from '#server/framing/byte-source.ts';
import { criticalMembers } from './critical-members.ts';
import { multipartToBody } from './multipart-body.ts';

const form = { fields: { numbers: [], flags: [], files: ['image'] }, names: criticalMembers(['model', 'n']) };

function read(name: string) {
  const text = `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\nfile-of-others\r\n--b--\r\n`;
  return multipartToBody(sourceOf(Buffer.from(text)), 'b', form);
}

test.each(['file_id', 'images[0][file_id]', 'mask[file_id]', 'images[][FILE_ID]', 'images.0.file_id', 'tools[0][container][file_ids][]'])(
  'a file of the account is refused, however a form writes it: %s',
  async (name) => {
    await expect(read(name)).rejects.toMatchObject({ code: 'account_object_refused' });
  },
);

test('similar names are accepted', async () => {
  expect(await read('profile_id')).toMatchObject({ profile_id: 'file-of-others' });
});
