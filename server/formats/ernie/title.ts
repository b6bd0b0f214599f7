/** https://cloud.baidu.com/doc/WENXINWORKSHOP/s/clntwmv7t */
export const title = 'Baidu ERNIE';
