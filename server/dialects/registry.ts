// Every format, once as callers speak it and once as providers do. The only file outside their folders that knows them.
import { claudeClient } from './claude/client.ts';
import { claudeUpstream } from './claude/upstream.ts';
import { openaiChatClient } from './openai-chat/client.ts';
import { openaiChatUpstream } from './openai-chat/upstream.ts';

export const clientDialects = { 'openai-chat': openaiChatClient, claude: claudeClient } as const;

export const upstreamDialects = { 'openai-chat': openaiChatUpstream, claude: claudeUpstream } as const;

export type ClientDialectName = keyof typeof clientDialects;
export type UpstreamDialectName = keyof typeof upstreamDialects;
