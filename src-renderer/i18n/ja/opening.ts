/** Texts of the page that replaces the window while the data is checked, repaired or updated at start-up. */
export const opening = {
  starting: 'データを準備中…',
  checking: {
    studio: 'チャットとメディアを確認中…',
    ledger: 'リクエストログを確認中…',
    bodies: '記録済みリクエストを確認中…',
    account: 'アカウントの記録を確認中…',
  },
  mending: {
    studio: 'チャットとメディアを修復中…',
    ledger: 'リクエストログを修復中…',
    bodies: '記録済みリクエストを修復中…',
    account: 'アカウントの記録を修復中…',
  },
  updating: {
    studio: 'チャットとメディアを更新中…',
    ledger: 'リクエストログを更新中…',
    bodies: '記録済みリクエストを更新中…',
    account: 'アカウントの記録を更新中…',
  },
  waiting: {
    studio: '待機中：別のプログラムがチャットとメディアをロックしています',
    ledger: '待機中：別のプログラムがリクエストログをロックしています',
    bodies: '待機中：別のプログラムが記録済みリクエストをロックしています',
    account: '待機中：別のプログラムがアカウントの記録をロックしています',
  },
  rows_other: 'これまでに{{shown}}行を復旧',
  about: {
    starting: '準備ができると、Inference Studioがここに自動的に表示されます。',
    checking:
      '前回Inference Studioが正しく終了しなかったため、すべてのデータを1回確認しています。準備ができると、Inference Studioがここに自動的に表示されます。',
    mending:
      'このファイルは破損していました。Inference Studioは可能な限り復旧し、破損したファイルも残します。準備ができると、Inference Studioが結果の報告とともにここに自動的に表示されます。',
    updating: 'この処理は1回だけです。準備ができると、Inference Studioがここに自動的に表示されます。',
    waiting:
      'データベース閲覧ツール、バックアッププログラム、または別のコマンドがファイルを使用しています。そちらでファイルを閉じてください。準備ができると、Inference Studioがここに自動的に表示されます。',
  },
  inProgress: '処理中',
  stopped: 'Inference Studioが停止しました。',
  stoppedAbout: '理由はターミナルで確認してください。ターミナルで再び起動し、表示されたアドレスを開いてください。',
}
