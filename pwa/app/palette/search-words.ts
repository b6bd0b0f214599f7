// Synonyms of screens and actions: words of other consoles and of daily speech. Both languages match whichever is set, because many users type one
// and read the other. They are matched and never shown.

/** By the key of an item. A word is found by its beginning, a Chinese one by any part of it. */
export const searchWords: Readonly<Record<string, string>> = {
  'screen:/': 'start overview welcome 主页 概览 总览 欢迎',
  'screen:/detail':
    'usage bill billing statistics stats charts graphs analytics report spending cost consumption 用量 账单 统计 图表 报表 消耗 消费 花费 数据',
  'screen:/token': 'api key keys apikey apikeys api-key secret credential sk 密钥 秘钥 接口密钥 访问令牌',
  'screen:/log':
    'usage bill billing history calls requests records errors consumption spending refund refunds 退款 用量 账单 调用记录 请求记录 历史 明细 报错 消费',
  'screen:/midjourney': 'drawings images pictures midjourney mj 绘画 图片 画图 图像',
  'screen:/task': 'tasks music songs video suno jobs 音乐 歌曲 视频 异步任务',
  'screen:/topup':
    'balance recharge topup top-up top up credit funds money pay payment deposit invoice order orders receipt purchase 余额 充值 付款 支付 账户 额度 发票 订单 收据 购买',
  'screen:/pricing': 'prices price cost models model list rates ratio 价格 价目 费用 倍率 模型 模型广场 模型列表',
  'screen:/status':
    'status page availability uptime incidents outage latency models down slow 状态页 可用性 在线率 故障 事件 延迟 模型状态',
  'screen:/first-call':
    'guide help quickstart getting started tutorial example snippet sdk curl endpoint base url 入门 教程 帮助 示例 快速开始 接入 接口地址',
  'screen:/playground': 'try test prompt sandbox chat completions 试用 测试 调试 体验 对话',
  'screen:/chat': 'conversation applications apps clients 对话 会话 客户端 应用',
  'screen:/personal':
    'profile account password e-mail email bindings sessions devices invite notifications preferences system access token 资料 账号 账户 密码 邮箱 绑定 会话 设备 邀请 通知 偏好',
  'screen:/about': 'version licence license contact 版本 联系 许可',
  'screen:/channel': 'providers provider upstream upstreams backends vendors suppliers accounts 上游 供应商 服务商 通道 厂商',
  'screen:/redemption': 'vouchers voucher coupons coupon gift cards promo 卡密 优惠券 礼品卡 代金券 激活码',
  'screen:/audit-log': 'history changes who did security compliance trail 审计 操作记录 改动 历史 安全',
  'screen:/bill': 'bills invoice provider cost usage export reconcile reconciliation drift margin 账单 对账 上游 供应商 成本 差额',
  'screen:/backup': 'backups restore snapshot copy export archive storage s3 备份 恢复 还原 快照 存储 归档',
  'screen:/import': 'imports migrate migration move one-api new-api litellm gateway database 迁移 搬家 导入 数据库 旧系统',
  'screen:/user': 'members customers accounts people team roles permissions 成员 客户 账号 用户管理 权限',
  'screen:/setting': 'options configuration config preferences admin administration 配置 选项 参数 运营 后台',
  'screen:/organisations':
    'organization organizations teams companies members workspace switch account seats 组织 团队 公司 企业 成员 切换账户',
  'screen:/statement': 'statements bill invoice ledger account balance history refund refunds month 对账单 账单 流水 明细 退款 发票',
  'screen:/user-tokens':
    'who has this key owner find leaked api keys of users move disable block 用户令牌 密钥 谁的 属于谁 泄露 查找 迁移 禁用 停用',
  'screen:/balances': 'accounts balances by month books closing opening accounting 月表 余额 账户 结账 期末',
  'screen:/invitations': 'invites referral affiliate codes inviter 邀请 邀请码 推荐',
  'screen:/price-updates':
    'price prices updates sync catalogue catalog models.dev litellm reviews plans history 价格 更新 同步 目录 审核 计划 调价',
  'screen:/apps': 'applications apps devices authorized oauth connected access revoke consent 应用 授权 设备 撤销 终止 第三方',
  'screen:/outbox': 'outbox waiting pending unsent offline queue drafts 待发送 离线 队列 草稿',
  'action:new_token': 'add new generate api key apikey secret 新建 添加 生成 密钥 秘钥',
  'action:redeem': 'balance recharge topup top-up top up voucher coupon gift card 余额 充值 卡密 优惠券 激活',
  'action:new_organisation': 'create add organization team company workspace 新建 创建 组织 团队 企业',
  'action:own_account': 'personal switch account back own 切换 个人 账户',
  'action:new_channel': 'create new provider upstream vendor 新建 创建 上游 供应商 服务商 通道',
  'action:new_codes': 'add new generate vouchers coupons gift cards 新建 添加 生成 卡密 优惠券 礼品卡',
  'action:new_user': 'create new invite member customer account 新建 创建 邀请 成员 客户 账号',
  'action:theme_light': 'bright day white mode appearance 白天 亮色 日间 明亮 模式 外观',
  'action:theme_dark': 'night black mode appearance 夜间 黑色 暗色 暗黑 模式 外观',
  'action:theme_auto': 'automatic mode appearance 自动 模式 外观',
  'action:language_zh': 'chinese language locale 中文 语言 汉语',
  'action:language_en': 'english language locale 英文 英语 语言',
  'action:refresh': 'reload update 重新加载 更新',
  'action:shortcuts': 'keys hotkeys help 热键 按键 帮助',
  'action:install': 'app download pwa desktop home screen 应用 下载 桌面 主屏幕',
  'action:sign_out': 'log out logout leave exit quit 登出 注销 离开',
};
