export const connect = {
  name: '名前',
  namePlaceholder: '省略可',
  nameTaken: '「{{name}}」という名前の接続がすでにあります。',
  switch: {
    failed: '{{name}}は使用できないため、以前の接続を引き続き使用します。{{why}}',
    settings: '設定を開く',
  },
  baseUrl: 'ベースURL',
  baseUrlHint: '末尾の/v1はあってもなくてもかまいません。',
  baseUrlBad: 'ウェブアドレスではありません。例：https://api.example.com/v1',
  baseUrlCredentials: 'アドレスからユーザー名とパスワードを取り除いてください。',
  changed: {
    scheme: '{{text}}を追加しました。',
    path: 'ベースURLの一部ではない{{text}}を取り除きました。',
    query: '{{text}}を取り除きました。',
  },
  key: 'APIキー',
  keyHint: 'サービスにキーが不要な場合は、空欄にしてください。キーは、このページから送られる前に暗号化されます。',
  keyStorage: 'キーの保存先',
  saveInKeychain: 'システムのキーチェーン',
  saveForSession: 'このセッションのみ',
  saveInKeychainHint: '次回のために、オペレーティングシステムのキーチェーンに保存されます。',
  saveForSessionHint: 'メモリーだけに保持されます。再起動後はもう一度入力が必要です。',
  noKeychain: '{{reason}}キーはこのセッションに限り保持されます。',
  noKeychainReason: 'このコンピューターではキーチェーンを使用できません。',
  insecure: 'このアドレスにキーを暗号化せずに送信',
  insecureWhy:
    '別のコンピューターへの通常のHTTPは暗号化されません。ネットワークの経路上にいる誰もがキーを読めます。サービスがHTTPSに対応していれば、それを使用してください。',
  test: 'テスト',
  testing: 'テスト中…',
  connect: '接続',
  connecting: '接続中…',
  works: '正常に接続できます',
  worksModels_other: '{{baseUrl}}のサービスは{{count}}個のモデルを提供しています。',
  worksKey: 'キー：{{key}}。',
  /** Why a connection test failed. Shown beside the field to correct. */
  cause: {
    dns: 'この名前のサーバーはありません（{{code}}）。つづりとネットワークを確認してください。',
    refused:
      'このアドレスで待ち受けているサーバーがありません（{{code}}）。サービスを起動するか、ポートを確認してください。',
    route: 'このコンピューターからこのアドレスへの経路がありません（{{code}}）。ネットワークを確認してください。',
    timeout: 'サーバーが時間内に応答しませんでした。アドレス、ネットワーク、ファイアウォールを確認してください。',
    tls: 'サーバーの証明書を検証できないため（{{code}}）、何も送信されませんでした。',
    noTls:
      'サーバーはこのアドレスでHTTPSを使用していないため（{{code}}）、何も送信されませんでした。ポートを確認するか、http://を試してください。',
    notAnApi: 'このアドレスでサーバーは応答しますが、推論APIではありません。パスを確認してください。',
    keyRejected:
      'サービスがこのAPIキーを拒否しました（401）。全体が入力され、このサービスのものであるかを確認してください。',
    keyMissing: 'このサービスにはAPIキーが必要です（401）。',
    keyForbidden: 'このAPIキーには、モデルの一覧を取得する権限がありません（403）。',
  },
}
