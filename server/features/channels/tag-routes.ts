import { channelTagApi } from '#shared/channel-tags.ts';
import { ChannelStatus } from '#shared/channels.ts';
import { AppError } from '#shared/errors.ts';
import { type Call, signedIn } from '#server/http/call.ts';
import { mount, type RouteHost } from '#server/http/mount.ts';
import { editMany, type Editor, wholly } from './edit-many.ts';
import { repairChannels } from './repair-channels.ts';
import { editTag, listTags, setStatusOfTag } from './tags.ts';

export function mountChannelTags(host: RouteHost): void {
  mount(host, channelTagApi.tags, ({ context, query: { keyword, group, model } }) => listTags(context, { keyword, group, model }));
  mount(host, channelTagApi.setTag, async (call) => {
    const { ids = [], tag = '' } = call.body;
    if (ids.length === 0) throw new AppError('channel_arguments', {}, { field: 'ids' });
    const result = await editMany(editorOf(call), { ids, edit: { fields: { tag } } });
    wholly(result);
    return result.changed + result.same;
  });
  mount(host, channelTagApi.enableTag, (call) => setStatusOfTag(editorOf(call), call.body.tag, ChannelStatus.enabled));
  mount(host, channelTagApi.disableTag, (call) => setStatusOfTag(editorOf(call), call.body.tag, ChannelStatus.disabledByHand));
  mount(host, channelTagApi.editTag, (call) => editTag(editorOf(call), call.body));
  mount(host, channelTagApi.editMany, (call) => {
    const { ids, status, models_added: modelsAdded, models_removed: modelsRemoved, ...fields } = call.body;
    if (ids.length === 0) throw new AppError('channel_arguments', {}, { field: 'ids' });
    return editMany(editorOf(call), { ids, edit: { fields, status, modelsAdded, modelsRemoved } });
  });
  mount(host, channelTagApi.repair, ({ context }) => repairChannels(context));
}

function editorOf(call: Pick<Call<unknown>, 'caller' | 'context' | 'facts'>): Editor {
  return { context: call.context, actor: signedIn(call).user, language: call.facts.language };
}
