/** Texts of the guide in the window. The guide itself is in English. */
export const help = {
  title: '指南',
  page: '指南的页面',
  text: '页面的文字',
  noPage: '指南中没有此页面。请在上方选择其他页面。',
  open: '打开指南',
}
