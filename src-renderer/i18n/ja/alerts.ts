/** Texts of alerts. Each crossing of a threshold creates one alert. */
export const alerts = {
  title: 'アラート',
  bell_other: 'アラート{{count}}件',
  bellNone: 'アラートなし',
  news: 'アラート：{{title}}',
  empty: 'アラートなし',
  emptyAbout: '残高、予算、上限、APIキーに関するアラートがここに表示されます。',
  dismiss: '閉じる：{{title}}',
  dismissAll: 'すべて閉じる',
  setUp: 'アラートを設定',
  ended: '終了：{{at}}',
  failed: '失敗：{{message}}',
  go: {
    usage: '使用状況を開く',
    limits: '上限を開く',
    session: 'セッションを開く',
    keys: 'キーを開く',
    proxy: 'ローカルAPIを開く',
    settings: '接続を開く',
  },
  balance: {
    title: '残高が{{below}} SC未満',
    body: 'アカウントの残高は{{balance}} SCです。更新：{{at}}。',
  },
  spend: {
    title: '1日の支出が{{above}} SC超',
    service: '{{day}}（UTC）に{{spent}} SC、サービスの報告による。',
    here: '{{day}}（UTC）に{{spent}} SC、このコンピューターの集計による。',
  },
  budget: {
    near: '{{app}}：予算の残りがわずか',
    short: '{{app}}：次のリクエストに予算が不足',
    usedUp: '{{app}}：予算を使い切り',
    day: '1日{{budget}} SCのうち{{spent}} SC。',
    month: '1か月{{budget}} SCのうち{{spent}} SC。',
    total: '合計{{budget}} SCのうち{{spent}} SC。',
    refused: 'このアプリのリクエストは拒否されます。',
    asks: 'このアプリの以降のリクエストは回答を待ちます。',
    tooSmall: '残額を超える可能性があるため、リクエストが拒否されました。',
    usual: '残額は{{left}} SCです。通常のリクエストのコストは推定{{usual}} SCです。',
  },
  busy: {
    title: '{{app}}の使用量が多くなっています',
    body_other: '過去1時間にリクエスト{{count}}件、{{spent}} SC。',
  },
  tokens: {
    title: '{{app}}：トークンの上限が低すぎます',
    body_other:
      '通常のリクエストは{{count}}トークンを使いますが、上限は1分あたり{{limit}}トークンです。このようなリクエストは拒否されます。',
  },
  app: {
    paused: '{{app}}は一時停止中',
    expired: '{{app}}のキーが期限切れ',
    body: 'このアプリのリクエストが拒否されました。',
  },
  cache: {
    title_other: '{{app}}が{{count}}ターン連続でキャッシュを失いました',
    body_other:
      '前回のリクエストの{{count}}トークンがキャッシュから読み取られず、コストが{{cost}} SC増えました。{{advice}}',
    bodyUnpriced_other: '前回のリクエストの{{count}}トークンがキャッシュから読み取られませんでした。{{advice}}',
  },
  key: {
    low: {
      title: 'APIキーの残高がわずかです',
      body: '{{limit}} SCのうち残り{{left}} SC。0 SCになると、サービスはリクエストを拒否します。',
    },
    empty: {
      title: 'APIキーの残高を使い切りました',
      body: 'キーにクレジットを追加するまで、サービスは有料のリクエストを拒否します。',
    },
    revoked: {
      title: 'APIキーが失効しました',
      body: 'サービスはこのキーを拒否します。設定で別のキーを入力してください。',
    },
    refused: {
      title: 'サービスがAPIキーを拒否しました',
      body: 'サービスが401を返しました。設定でキーを確認してください。',
    },
    credits: {
      title: 'クレジットを使い切りました',
      body: 'サービスが402を返しました。続けるには、クレジットを追加してください。',
    },
    forbidden: {
      title: 'サービスがアクセスを拒否しました',
      body: 'サービスが403を返しました。このキーにはリクエストの権限がありません。',
    },
    named: 'キー：{{name}}',
  },
  ban: {
    title: 'サービスがリクエストをブロック中',
    until: '{{until}}まで。',
    open: 'いつまでかは、サービスから通知されていません。',
  },
  settings: {
    balance: '残高の下限',
    balanceHint:
      'サービスが報告するアカウントの残高が、この額を下回ったとき。単位はサービスのクレジット単位SCです。空欄でオフになります。',
    spend: '1日の支出の上限',
    spendHint:
      'UTCの1日の支出（SC）が、この額を上回ったとき。サービスの報告とこのコンピューターの集計のうち、大きいほうを使います。空欄でオフになります。',
    unit: 'SC',
    amountBad: '2.50のような、0より大きい額を入力してください。',
    budgets: 'アプリ',
    budgetsHint:
      'アプリの予算の残りがわずかになったか使い切ったとき、通常のリクエストに対して上限が小さすぎるとき、一時停止中または期限切れのアプリがリクエストを送信したとき。',
    budgetAt: '予算の残りがわずかとみなす割合（%）',
    budgetAtHint: '予算のこの割合を使うと警告します。1～99。',
    budgetAtBad: '1～99の整数を入力してください。',
    key: 'APIキー',
    keyHint: 'キーの残高がわずかになったとき、またはキーが失効したか拒否されたとき。',
    ban: 'サービスによるブロック',
    banHint: 'サービスがしばらくの間リクエストをブロックしたとき。アラートに期限が示されます。',
    cache: 'キャッシュの喪失',
    cacheHint: 'アプリが3ターン連続でサービスのキャッシュを失い、リクエストのコストが増えたとき。',
    notify: 'システムの通知',
    notifyHint: '通知には数値、アプリ名、モデル名が含まれます。キーやメッセージが含まれることはありません。',
    browser: 'ブラウザーの通知',
    browserHint:
      'このページが開いている間に表示されます。通知には数値、アプリ名、モデル名が含まれます。キーやメッセージが含まれることはありません。',
    browserDenied: 'ブラウザーがこのページの通知をブロックしています。アドレスバーで許可してください。',
    browserMissing: 'このブラウザーは通知に対応していません。',
    try: 'テストを送信',
    notifyFailed: 'テスト通知は表示されませんでした。{{reason}}',
    tried: 'これはテストのアラートです。',
    notShown: '通知を表示できませんでした。',
  },
}
