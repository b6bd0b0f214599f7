// Every key of the options that clients of this family read and write, with its default. A key without a row fails the build, and each
// row is read, written back as it was read, and refused in another kind.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import type { TestClient } from '#tests/support/http-client.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';

/** `kind key default`; a default that is left out is a long one, or empty for texts and secrets. */
const specified = `
text ServerAddress
text WorkerUrl
secret WorkerValidKey
text WebhookAllowedHosts
text PayAddress
text CustomCallbackAddress
text EpayId
secret EpayKey
number Price 7.3
number MinTopUp 1
json TopupGroupRatio {"default":1,"svip":1,"vip":1}
text TopUpLink
boolean PasswordLoginEnabled true
boolean PasswordRegisterEnabled true
boolean RegisterEnabled true
boolean EmailVerificationEnabled false
boolean EmailDomainRestrictionEnabled false
boolean EmailAliasRestrictionEnabled false
text EmailDomainWhitelist gmail.com,163.com,126.com,qq.com,outlook.com,hotmail.com,icloud.com,yahoo.com,foxmail.com
boolean GitHubOAuthEnabled false
text GitHubClientId
secret GitHubClientSecret
boolean LinuxDOOAuthEnabled false
text LinuxDOClientId
secret LinuxDOClientSecret
boolean TelegramOAuthEnabled false
secret TelegramBotToken
text TelegramBotName
boolean WeChatAuthEnabled false
text WeChatServerAddress
secret WeChatServerToken
text WeChatAccountQRCodeImageURL
boolean TurnstileCheckEnabled false
text TurnstileSiteKey
secret TurnstileSecretKey
boolean oidc.enabled false
text oidc.client_id
secret oidc.client_secret
text oidc.well_known
text oidc.authorization_endpoint
text oidc.token_endpoint
text oidc.user_info_endpoint
text SMTPServer
number SMTPPort 587
boolean SMTPSSLEnabled false
text SMTPAccount
text SMTPFrom
secret SMTPToken
text Notice
text About
text HomePageContent
text Footer
text SystemName Tidegate
text Logo
text general_setting.docs_link
json Chats []
number QuotaPerUnit 500000
number RetryTimes 3
boolean DisplayInCurrencyEnabled true
boolean DisplayTokenStatEnabled true
boolean DefaultCollapseSidebar false
boolean DemoSiteEnabled false
boolean SelfUseModeEnabled false
boolean DrawingEnabled true
boolean TaskEnabled true
boolean MjNotifyEnabled false
boolean MjAccountFilterEnabled false
boolean MjModeClearEnabled false
boolean MjForwardUrlEnabled true
boolean MjActionCheckSuccessEnabled true
boolean CheckSensitiveEnabled true
boolean CheckSensitiveOnPromptEnabled true
boolean StopOnSensitiveEnabled false
text SensitiveWords
number StreamCacheQueueLength 0
boolean LogConsumeEnabled true
boolean DataExportEnabled true
number DataExportInterval 5
text DataExportDefaultTime hour
number ChannelDisableThreshold 5
number QuotaRemindThreshold 1000
boolean AutomaticDisableChannelEnabled false
boolean AutomaticEnableChannelEnabled false
lines AutomaticDisableKeywords
number QuotaForNewUser 0
number QuotaForInviter 0
number QuotaForInvitee 0
number PreConsumedQuota 500
json ModelRatio
json ModelPrice
json CacheRatio
json CompletionRatio {"gpt-4-all":2,"gpt-4-gizmo-*":2,"gpt-4o-gizmo-*":3}
json GroupRatio {"default":1,"svip":1,"vip":1}
json UserUsableGroups {"default":"默认分组","vip":"vip分组"}
boolean ModelRequestRateLimitEnabled false
number ModelRequestRateLimitCount 0
number ModelRequestRateLimitSuccessCount 1000
number ModelRequestRateLimitDurationMinutes 1
json SiteRateLimits []
json SiteBudgets []
text OrganisationFounders users
json gemini.safety_settings {"HARM_CATEGORY_CIVIC_INTEGRITY":"BLOCK_NONE","default":"OFF"}
json gemini.version_settings {"default":"v1beta","gemini-1.0-pro":"v1"}
json claude.model_headers_settings {}
json claude.default_max_tokens {"default":8192}
boolean claude.thinking_adapter_enabled true
number claude.thinking_adapter_budget_tokens_percentage 0.8
boolean global.pass_through_request_enabled false
`;

const added = `
number LinuxDOMinimumTrustLevel 0
number LogRetentionDays 0
number AuditRetentionDays 400
text PriceSyncUrl
secret PriceSyncToken
number PriceSyncHours 0
text PriceSyncModels offered
text PriceSyncFields text,cache,audio,image,call,video,long,tier,tool,tuning
text PriceSyncExcept
text PriceSyncProviders anthropic,openai,google,gemini,xai,deepseek,mistral,moonshotai,moonshot,zai,zhipuai,minimax,alibaba,dashscope,cohere,cohere_chat,perplexity,volcengine,groq,vertex_ai,azure,bedrock
text PriceSyncApply none
number PriceSyncGuardPercent 20
boolean PriceListPublic false
number BillDriftPercent 5
number BillDriftUsd 1
number BackupIntervalHours 0
number BackupKeep 7
secret BackupPassphrase
text BackupPlace folder
text BackupS3Endpoint
text BackupS3Region us-east-1
text BackupS3Bucket
text BackupS3Prefix
text BackupS3AccessKey
secret BackupS3SecretKey
boolean ResponseStoreEnabled true
number ResponseRetentionDays 30
number ResponsesPerUser 10000
number ResponseMegabytesPerUser 200
number BackgroundResponsesPerUser 8
number FilesPerUser 0
number FileMegabytesPerUser 500
number FileRetentionDays 30
number BatchesPerUser 0
number BatchRequestsPerUser 50000
number ContextCachesPerUser 0
json ContextCachePrice {"gemini*":1,"gemini*pro*":4.5}
number FineTuningJobsPerUser 0
number VectorStoresPerUser 0
number VectorStoreMegabytesPerUser 1000
number VectorStorePrice 0.1
number VectorSearchPrice 0
boolean ChannelAffinityEnabled true
boolean PromptCachingEnabled true
number MaxTokensPerUser 1000
number DefaultMaxOutputTokens 32768
number ToolCallsPerRequest 10
text StreamOverdraft finish
text StatusPage off
text StatusPageHidden
json CreateCacheRatio
json CreateCache1hRatio
json AudioRatio
json AudioCompletionRatio
json AudioCacheRatio
json ImageRatio
json ImageCompletionRatio
json LongInputPrice
json TierPrice
json VideoPrice
json FineTuningPrice
number CostDriftPercent 20
boolean CostHeaderEnabled false
boolean ServerTimingEnabled false
boolean gemini.thinking_adapter_enabled true
number gemini.thinking_adapter_budget_tokens_percentage 0.6
json ToolPrice
text AutoGroups
boolean DefaultUseAutoGroup false
json GroupGroupRatio {}
json group_ratio_setting.group_special_usable_group {}
`;

/** Clients of this family know these keys; no code ever read them. */
const dropped = ['FileUploadPermission', 'FileDownloadPermission', 'ImageUploadPermission', 'ImageDownloadPermission'];

const rows = `${specified}${added}`
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => {
    const [, kind = '', key = '', initial = ''] = /^(\S+) (\S+) ?(.*)$/.exec(line) ?? [];
    return { kind, key, initial };
  });

describe.each(oneEngine)('keys of options on $kind', (engine) => {
  let app: TestApp;
  let root: TestClient;
  const read = async () => {
    const { data } = await root.get('/api/option/');
    return new Map<string, { value: string; isSet?: boolean }>(data.map((option: { key: string }) => [option.key, option]));
  };
  beforeAll(async () => {
    app = await createTestApp(engine);
    root = await app.setup();
  });
  afterAll(() => app.close());

  it('have a row each, and each row is listed', async () => {
    expect([...(await read()).keys()].toSorted()).toEqual(rows.map(({ key }) => key).toSorted());
  });

  it.each(rows)('$key has its default, goes back as it came, and is of its kind', async ({ kind, key, initial }) => {
    const option = (await read()).get(key);
    const isLong = initial === '' && (kind === 'json' || kind === 'lines');
    if (kind === 'json') {
      const value: unknown = JSON.parse(option?.value ?? '');
      if (isLong) expect(Object.keys(Object(value)).length).toBeGreaterThan(2);
      else expect(value).toEqual(JSON.parse(initial));
    } else if (isLong) expect(option?.value.split('\n').length).toBeGreaterThan(2);
    else expect(option?.value).toBe(initial);
    expect(option?.isSet).toBe(kind === 'secret' ? false : undefined);

    // Old clients send whole forms, with every field as it was read.
    expect(await root.put('/api/option/', { key, value: option?.value })).toMatchObject({ status: 200, success: true });
    const odd: Record<string, unknown[]> = { number: ['many', {}], boolean: ['perhaps', 7, []], json: ['{', '7', {}], lines: [[], {}] };
    for (const value of odd[kind] ?? [[], { $ne: '' }])
      expect(await root.put('/api/option/', { key, value }), JSON.stringify(value)).toMatchObject({ status: 200, success: false });
    expect((await read()).get(key)?.value).toBe(option?.value);
  });

  it.each(dropped)('%s is not known', async (key) => {
    expect(await root.put('/api/option/', { key, value: '1' })).toMatchObject({ success: false, code: 'option_unknown' });
  });
});
