/** https://www.xfyun.cn/doc/spark/Web.html */
export const title = 'Spark (WebSocket)';
