/** Texts of the instructions for apps, which Local API shows. What a person pastes is in `features/proxy/setups/`. */
export const appSetups = {
  /** The only name that is not that of a product. */
  shellVariables: 'シェル変数',
  where: { continue: 'VS Code、JetBrains、ターミナル' },
  /** What to do with the text of a step. */
  steps: {
    tomlFile:
      'このファイルとして保存してください。ファイルがすでにある場合は、最初のセクションより前の行を先頭に、セクションを末尾に追加してください。',
    eachTerminal: '新しいターミナルを開くたびに、プロジェクトのフォルダーでこれを実行してください。',
    envFile: 'このファイルとして保存してください。ファイルがすでにある場合は、これらの値を"env"に追加してください。',
    run: 'プロジェクトのフォルダーでこれを実行してください。',
    mergeFile: 'このファイルとして保存してください。ファイルがすでにある場合は、内容を統合してください。',
    mergeSizes:
      'このファイルとして保存してください。ファイルがすでにある場合は、内容を統合してください。サイズはモデルのもので、単位はトークンです。',
    runChoose: 'プロジェクトのフォルダーでこれを実行し、Ctrl+Lでモデルを選択してください。',
    runParts: 'プロジェクトのフォルダーでこれを実行してください。Gooseではアドレスを2つの部分に分けて指定します。',
    mergeList:
      'このファイルとして保存してください。ファイルがすでにある場合は、項目をそのリストに追加してください。エディターはファイルを自動的に再読み込みします。',
    orRun: 'または、プロジェクトのフォルダーで、ターミナルからこれを実行してください。',
    zedKey: 'Zedはキーを設定に保存しません。これで起動するか、"LLM Providers"でキーを入力してください。',
    shell:
      'アプリを起動するシェルで実行してください。OpenAIの公式ライブラリを使うものは、すべてこの2つを読み取ります。',
    streamed: '届いた順に表示される、ストリーミングの返信。',
    python: '`pip install openai`の後に、Pythonのプログラムで使用してください。',
    onceKey: 'ターミナルで1回だけ実行し、キーを設定してください。',
    llmModels: '`dirname "$(llm logs path)"`が表示するフォルダー内のextra-openai-models.yamlに追加してください。',
    finally: '次に、ターミナルで実行してください。',
    module: '`npm install {{packages}}`の後に、モジュールで使用してください。',
  },
  /** When a change of its file takes effect. */
  takesEffect: {
    atOnce: '{{name}}は変更をすぐに読み込みます。',
    nextSession: '{{name}}は、次に起動したときに変更を読み込みます。',
    restart: '変更後に{{name}}を再起動してください。',
  },
  /** Where the key is, when it is not in the file. */
  keyPlaces: {
    file: 'キーはこのファイルにあります。',
    environment: 'キーは、起動に使ったターミナルから読み取られます。',
    secretStore: 'キーは専用の保管場所に保存されます。そこにアプリキーを入力してください。',
  },
  notes: {
    codex:
      'Codexは`gpt-5.5`を要求しますが、このアプリのモデルマップが選択したモデルに置き換えます。コンテキストウィンドウは、分かっていればモデルのもの、それ以外は128,000トークンです。安全な場合はInference Studioが再試行するため、Codexは再試行しません。OpenAIのアカウントを使うには、"codex -c model_provider=openai"で起動してください。',
    claudeCode:
      'Claude Codeは、サブエージェントや小さな作業のために`claude-haiku-5-5`などのモデルを要求しますが、このアプリのモデルマップが置き換えます。コンテキストウィンドウは、分かっていればモデルのもの、それ以外は128,000トークンです。安全な場合はInference Studioが再試行するため、Claude Codeは再試行しません。2つ目のキーは拒否されるため、ターミナルのANTHROPIC_API_KEYを解除してください。Anthropicのアカウントを再び使うには、接続を解除するか、これらの値を取り除いてください。',
    cline: 'VS Codeの拡張機能では、APIプロバイダーとして"OpenAI Compatible"を選択し、同じ3つの値を入力してください。',
    droid:
      'Droidは、専用のアカウントにサインインしなくても、このモデルで動作します。セッションでは`/model`でモデルを選択してください。',
    geminiCli:
      '以前Googleでサインインした場合は、`/auth`を実行して"Use Gemini API Key"を選択するか、`~/.gemini/settings.json`から"selectedType"を取り除いてください。Gemini CLIは、小さな作業のために`gemini-3-flash`などのモデルを要求しますが、このアプリのモデルマップが置き換えます。',
    vscode:
      'チャットビューに"Custom Endpoint"のモデルがあるバージョンのVS Codeが必要です。"Manage Models"でモデルを選択してください。VS Codeは、キーをこのファイルから独自の秘密情報の保管場所に移すことがあります。',
    ownRetries: '`maxRetries: 0`とするのは、再試行がすでに行われるためです。二重にすると、試行回数が掛け合わされます。',
  },
}
