/** Texts of the page that replaces the window while the data is checked, repaired or updated at start-up. */
export const opening = {
  starting: '正在准备你的数据…',
  checking: {
    studio: '正在检查聊天和媒体…',
    ledger: '正在检查请求日志…',
    bodies: '正在检查已记录的请求…',
    account: '正在检查账户记录…',
  },
  mending: {
    studio: '正在修复聊天和媒体…',
    ledger: '正在修复请求日志…',
    bodies: '正在修复已记录的请求…',
    account: '正在修复账户记录…',
  },
  updating: {
    studio: '正在更新聊天和媒体…',
    ledger: '正在更新请求日志…',
    bodies: '正在更新已记录的请求…',
    account: '正在更新账户记录…',
  },
  waiting: {
    studio: '正在等待：另一个程序锁定了聊天和媒体',
    ledger: '正在等待：另一个程序锁定了请求日志',
    bodies: '正在等待：另一个程序锁定了已记录的请求',
    account: '正在等待：另一个程序锁定了账户记录',
  },
  rows_other: '目前已恢复 {{shown}} 行',
  about: {
    starting: 'Inference Studio 会自动在此打开。',
    checking: 'Inference Studio 上次没有正常关闭，因此会检查一次所有数据。它会自动在此打开。',
    mending: '此文件已损坏。Inference Studio 会尽可能恢复内容，并保留损坏的文件。它会自动在此打开，并附上报告。',
    updating: '此过程只进行一次。Inference Studio 会自动在此打开。',
    waiting: '数据库浏览器、备份程序或其他命令正在使用此文件。请在那里将其关闭。Inference Studio 会自动在此打开。',
  },
  inProgress: '进行中',
  stopped: 'Inference Studio 已停止。',
  stoppedAbout: '原因请查看终端。请在终端中重新启动它，并打开显示的地址。',
}
