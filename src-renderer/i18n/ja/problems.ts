const mayHaveWorked = '最初の試行で、すでに処理とコストが発生している可能性があります。'

/** One entry for every kind. No text may say that nothing was charged (ERR-11). */
const kinds = {
  invalid_request: {
    title: 'サービスがこのリクエストを拒否しました',
    meaning: 'このモデルに対して正しくないリクエストです（400）。変更してから、もう一度試してください。',
    action: '編集',
  },
  unauthorized: {
    title: 'サービスがこのAPIキーを拒否しました',
    meaning: 'APIキーが有効ではありません（401）。設定で確認してください。',
    action: 'キーを確認',
  },
  insufficient_credits: {
    title: 'クレジット不足',
    meaning:
      'アカウントのSCがこのリクエストには足りません（402）。アカウントを開設した場所でクレジットを追加してから、もう一度試してください。',
    action: '再試行',
  },
  forbidden: {
    title: '権限がありません',
    meaning: 'APIキーにこの操作の権限がありません（403）。別のキーを使うか、アカウントの管理者に問い合わせてください。',
    action: 'キーを変更',
  },
  not_found: {
    title: 'モデルまたはアドレスが見つかりません',
    meaning:
      'サービスにこのモデルまたはアドレスがありません（404）。別のモデルを選択するか、設定でベースURLを確認してください。',
    action: 'アドレスを確認',
  },
  rate_limited: {
    title: 'リクエストが多すぎます',
    meaning: '頻度または処理能力の上限に達しました（429）。しばらく待ってから、もう一度試してください。',
    action: '再試行',
  },
  internal: {
    title: 'サービスのエラー',
    meaning: `サービスが内部エラーを報告しました（500）。自動的な再試行は行われていません。${mayHaveWorked}`,
    action: '再試行',
  },
  not_implemented: {
    title: 'サービスが対応していません',
    meaning: 'サービスはこの機能に対応していません（501）。代わりにチャットを使用してください。',
    action: 'チャットを開く',
  },
  bad_gateway: {
    title: 'サービスがモデルに接続できませんでした',
    meaning: `サービスの経路または接続先でエラーが発生しました（502）。${mayHaveWorked}`,
    action: '再試行',
  },
  unavailable: {
    title: 'サービスを利用できません',
    meaning: `サービスは、後でもう一度試すよう求めています（503）。${mayHaveWorked}`,
    action: '再試行',
  },
  gateway_timeout: {
    title: 'モデルの応答が遅すぎます',
    meaning: `サービスはモデルの応答を待つのを中止しました（504）。${mayHaveWorked}`,
    action: '再試行',
  },
  unexpected_status: {
    title: '予期しない返信',
    meaning: 'サービスが、このプログラムの予期しないステータスを返しました。',
    action: '再試行',
  },
  connect_failed: {
    title: 'サービスに接続できません',
    meaning: 'このアドレスから応答がありません。アドレスとネットワークを確認してください。',
    action: 'アドレスを確認',
  },
  connect_timeout: {
    title: '接続がタイムアウトしました',
    meaning:
      'このアドレスは接続を受け付けませんでした。ネットワークが遅いか、ファイアウォールにブロックされている可能性があります。',
    action: '再試行',
  },
  tls_failed: {
    title: '安全な接続ができません',
    meaning: 'サービスの証明書を検証できませんでした。何も送信されていません。アドレスを確認してください。',
    action: 'アドレスを確認',
  },
  headers_timeout: {
    title: '時間内に返信がありません',
    meaning: 'リクエストは送信されましたが、返信が始まりませんでした。料金がかかる場合があります。',
    action: '再試行',
  },
  idle_timeout: {
    title: '返信が止まりました',
    meaning: '続きのテキストが届きませんでした。再試行すると新しい返信を要求し、再びコストがかかります。',
    action: '再試行',
  },
  connection_lost: {
    title: '接続が切れました',
    meaning: '返信が完了する前に接続が切れました。料金がかかる場合があります。',
    action: '再試行',
  },
  malformed_reply: {
    title: '読み取れない返信',
    meaning:
      '返信の内容が、示された形式に一致しません。サービスにエラーがあるか、サービスのアドレスではない可能性があります。',
    action: '再試行',
  },
  incomplete_stream: {
    title: '返信が未完了です',
    meaning: '返信が終了理由なしで終わりました。再試行すると新しい返信を要求し、再びコストがかかります。',
    action: '再試行',
  },
  foreign_address: {
    title: 'ブロックされたアドレス',
    meaning: 'サービスがベースURLの外にあるファイルを指定しました。キーはそこには送信されません。',
    action: 'アドレスを確認',
  },
  cancelled: {
    title: '停止',
    meaning: 'リクエストはキャンセルされました。自動的な再試行は行われません。',
    action: '再試行',
  },
  would_wait: {
    title: '未送信：待機が必要です',
    meaning: '待機中のリクエストがあり、このアプリは待機しないよう求めました。リクエストは送信されていません。',
    action: '再試行',
  },
  queue_full: {
    title: '待機の上限に達しました',
    meaning: '待機中のリクエストが多すぎます。このリクエストは送信されていません。いくつかが終わるまで待ってください。',
    action: '再試行',
  },
  queue_timeout: {
    title: '待機の時間切れ',
    meaning: 'リクエストの待機時間が長すぎたため、送信されませんでした。',
    action: '再試行',
  },
  bad_input: {
    title: '入力を確認してください',
    meaning: '値がないか、正しくありません。修正してから、もう一度試してください。',
    action: '編集',
  },
  not_connected: {
    title: '未接続',
    meaning: '接続がないか、APIキーがありません。設定で接続してください。',
    action: '接続',
  },
  connection_changed: {
    title: '接続が変わりました',
    meaning: '先に接続が変わったため、リクエストは送信されませんでした。新しい接続を使うには、もう一度試してください。',
    action: '再試行',
  },
  keychain_missing: {
    title: 'このコンピューターにキーチェーンがありません',
    meaning: 'キーを保存できません。このセッションに限り使用できます。',
    action: '設定を開く',
  },
  keychain_locked: {
    title: 'キーチェーンがロックされています',
    meaning: 'システムでキーチェーンのロックを解除してから、再確認してください。',
    action: '再確認',
  },
  no_such_item: {
    title: '見つかりません',
    meaning: 'ここか別のウィンドウで削除されました。',
    action: 'チャットを開く',
  },
  busy: {
    title: 'すでに実行中です',
    meaning: '同じ操作が実行されています。終わるまで待ってください。',
    action: '再試行',
  },
  folder_in_use: {
    title: 'データフォルダーが使用中です',
    meaning: '別のInference Studioが使用しています。先にそれを終了してください。',
    action: '再読み込み',
  },
  store_newer: {
    title: '新しいバージョンのデータです',
    meaning:
      'このデータは、より新しいバージョンのInference Studioで保存されました。Inference Studioをアップデートしてください。データは変更されていません。',
    action: '詳細をコピー',
  },
  store_damaged: {
    title: 'データを読み込めません',
    meaning: 'データベースが破損しています。まずデータフォルダーのコピーを作成してください。',
    action: 'フォルダーを表示',
  },
  disk_full: {
    title: 'ディスクがいっぱいです',
    meaning: 'これ以上保存できません。空き容量を増やしてから、もう一度試してください。',
    action: 'フォルダーを表示',
  },
  not_writable: {
    title: '書き込みの権限がありません',
    meaning:
      'Inference Studioはこのフォルダーに書き込めません。使用中のユーザーアカウントに書き込みを許可してから、もう一度試してください。',
    action: 'フォルダーを表示',
  },
  too_many_open_files: {
    title: '開いているファイルが多すぎます',
    meaning: 'Inference Studioはこれ以上ファイルを開けません。ほかのプログラムを終了してから、もう一度試してください。',
    action: '再試行',
  },
  database_locked: {
    title: 'データベースがロックされています',
    meaning:
      'データベース閲覧ツールなど、別のプログラムがロックしています。そのプログラムを終了してから、もう一度試してください。',
    action: '再試行',
  },
  port_taken: {
    title: 'ポートが使用中です',
    meaning: '別のプログラムがこのポートを使用しています。設定で別のポートを選択してください。',
    action: 'ポートを変更',
  },
  bug: {
    title: '内部エラー',
    meaning: 'サービスではなく、Inference Studioで問題が発生しました。詳細は原因の特定に役立ちます。',
    action: '詳細をコピー',
  },
}

/** Replaces `meaning` on the Settings page, for kinds whose general text refers to Settings. */
const inSettings = {
  unauthorized: 'APIキーが有効ではありません（401）。もう一度入力するか、別のキーを使用してください。',
  not_found: 'サービスにこのモデルまたはアドレスがありません（404）。ベースURLを確認してください。',
  not_connected: '接続がないか、APIキーがありません。',
  port_taken: '別のプログラムがこのポートを使用しています。別のポートを選択してください。',
}

/** Texts for `unexpected_status`, by what the status calls for. */
const statuses = {
  informational: {
    title: '最終的な返信なし',
    meaning: `サービスは途中の返信だけを送り、最終的な返信を送りませんでした（{{status}}）。${mayHaveWorked}`,
  },
  empty: {
    title: '内容のない返信',
    meaning: 'サービスの応答に、あるべき内容がありませんでした（{{status}}）。',
  },
  redirect: {
    title: 'サービスが別の場所へ転送しています',
    meaning:
      'サービスがリダイレクトで応答しました（{{status}}）。キーは別の場所には送信されません。ベースURLを確認してください。',
  },
  method: {
    title: 'このアドレスではできません',
    meaning:
      'サービスはこのアドレスでこの種類のリクエストを受け付けません（{{status}}）。設定でベースURLを確認してください。',
  },
  format: {
    title: '受け付けられない形式',
    meaning: 'サービスはこのリクエストの形式を受け付けません（{{status}}）。別の形式を使用してください。',
  },
  proxy: {
    title: 'ネットワークがサインインを求めています',
    meaning:
      'サービスとの間のネットワークまたはプロキシがサインインを求めています（{{status}}）。ネットワークにサインインしてから、もう一度試してください。',
  },
  timeout: {
    title: 'リクエストの到着に時間がかかりすぎました',
    meaning:
      'サービスは時間内にリクエスト全体を受信できませんでした（{{status}}）。ネットワークを確認してから、もう一度試してください。',
  },
  conflict: {
    title: 'サービスでの競合',
    meaning:
      'サービスが、別のリクエストまたは現在の状態との競合を報告しました（{{status}}）。しばらくしてから、もう一度試してください。',
  },
  gone: {
    title: 'もう利用できません',
    meaning:
      'このアドレスまたはモデルは、サービスにはもうありません（{{status}}）。別のモデルを選択するか、設定でベースURLを確認してください。',
  },
  length: {
    title: '長さの指定が必要',
    meaning: 'サービスは、リクエストが届く前にその長さを知る必要があります（{{status}}）。',
  },
  tooLarge: {
    title: 'サービスには大きすぎます',
    meaning:
      'リクエストが、サービスの受け付ける大きさを超えています（{{status}}）。小さくするか分割してから、もう一度試してください。',
  },
  addressTooLong: {
    title: 'アドレスが長すぎます',
    meaning: 'リクエストのアドレスが、サービスの受け付ける長さを超えています（{{status}}）。',
  },
  range: {
    title: '要求した部分がありません',
    meaning: 'ファイルの要求された部分がサービスにありません（{{status}}）。',
  },
  unprocessable: {
    title: 'サービスがこのリクエストを処理できません',
    meaning:
      'サービスはリクエストを理解しましたが、処理できません（{{status}}）。変更してから、もう一度試してください。',
  },
  joke: {
    title: 'サービスがこのリクエストを拒否しました',
    meaning: 'サービスは「私はティーポットです」と応答して、リクエストを拒否しました（{{status}}）。',
  },
  wrongHost: {
    title: '誤ったサーバー',
    meaning:
      'リクエストが、このアドレスを担当していないサーバーに届きました（{{status}}）。設定でベースURLを確認してください。',
  },
  early: {
    title: '時期が早すぎます',
    meaning: 'サービスはまだリクエストを処理しません（{{status}}）。しばらくしてから、もう一度試してください。',
  },
  upgrade: {
    title: '別のプロトコルが必要',
    meaning:
      'サービスが、別のプロトコルまたはその新しいバージョンを求めています（{{status}}）。設定でベースURLを確認してください。',
  },
  headersTooLarge: {
    title: 'ヘッダーが大きすぎます',
    meaning: 'リクエストのヘッダーが、サービスの受け付ける大きさを超えています（{{status}}）。',
  },
  legal: {
    title: '法的な理由で利用できません',
    meaning: 'サービスは法的な理由で、このリクエストに応答できません（{{status}}）。',
  },
  client: {
    title: 'サービスがこのリクエストを拒否しました',
    meaning: 'サービスがリクエストを拒否しました（{{status}}）。変更してから、もう一度試してください。',
  },
  storage: {
    title: 'サービスの保存容量が不足しています',
    meaning: 'サービスに、このリクエストのための保存容量がありません（{{status}}）。後でもう一度試してください。',
  },
  unreachable: {
    title: 'サービスに接続できません',
    meaning: `中継サーバーがサービスに接続できませんでした（{{status}}）。${mayHaveWorked}`,
  },
  server: {
    title: 'サービスのエラー',
    meaning: `サービスがエラーを報告しました（{{status}}）。${mayHaveWorked}`,
  },
  unassigned: {
    title: '不明なステータス',
    meaning: 'サービスが、HTTPで定義されていないステータスで応答しました（{{status}}）。',
  },
}

export const problems = {
  storage: {
    title: '変更を保存できません',
    meaning: '解決するまで、新しい返信は保存されない可能性があります。',
    action: '再試行',
  },
  kinds,
  statuses,
  inSettings,
  said: 'サービスからのメッセージ：「{{message}}」',
  wait: 'サービスが{{seconds}}秒待つよう求めています。',
  kept: '返信は未完了です。届いた分は保存されています。',
  facts: {},
}
