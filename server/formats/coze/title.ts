/** https://www.coze.cn/open/docs/developer_guides/chat_v3 */
export const title = 'Coze';
