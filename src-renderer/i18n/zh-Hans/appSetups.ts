/** Texts of the instructions for apps, which Local API shows. */
export const appSetups = {
  /** The only name that is not that of a product. */
  shellVariables: '命令行变量',
  where: { continue: 'VS Code、JetBrains、终端' },
  /** What to do with the text of a step. */
  steps: {
    tomlFile: '保存为此文件。如果文件已存在，请将开头的行添加到第一个小节之前，并将各小节添加到文件末尾。',
    eachTerminal: '每次打开新终端时，在项目文件夹中运行此命令。',
    envFile: '保存为此文件。如果文件已存在，请将这些值添加到其 "env" 中。',
    run: '在项目文件夹中运行此命令。',
    mergeFile: '保存为此文件。如果文件已存在，请将此文本合并进去。',
    mergeSizes: '保存为此文件。如果文件已存在，请将此文本合并进去。各大小是模型的大小，以词元为单位。',
    runChoose: '在项目文件夹中运行此命令，并按 Ctrl+L 选择模型。',
    runParts: '在项目文件夹中运行此命令。Goose 将地址分为两部分填写。',
    mergeList: '保存为此文件。如果文件已存在，请将此条目添加到其列表中。编辑器会自动重新加载文件。',
    orRun: '或者在终端中转到项目文件夹，运行此命令。',
    zedKey: 'Zed 不在其设置中保存密钥：请用此命令启动它，或在“LLM Providers”下输入密钥。',
    shell: '在启动应用的命令行中运行。所有基于 OpenAI 官方程序库的程序都会读取这两个变量。',
    streamed: '流式回复，边生成边显示。',
    python: '运行 `pip install openai` 之后，在 Python 程序中使用。',
    onceKey: '在终端中运行一次，以设置密钥。',
    llmModels: '添加到 extra-openai-models.yaml，该文件位于 `dirname "$(llm logs path)"` 显示的文件夹中。',
    finally: '然后在终端中运行。',
    module: '运行 `npm install {{packages}}` 之后，在模块中使用。',
  },
  /** When a change of its file takes effect. */
  takesEffect: {
    atOnce: '{{name}} 会立即读取更改。',
    nextSession: '{{name}} 会在下次启动时读取更改。',
    restart: '之后请重新启动 {{name}}。',
  },
  /** Where the key is, when it is not in the file. */
  keyPlaces: {
    file: '它的密钥在此文件中。',
    environment: '它从启动它时所用的终端中读取密钥。',
    secretStore: '它将密钥保存在自己的存储中：请在那里输入应用密钥。',
  },
  notes: {
    codex:
      'Codex 会请求“gpt-5.5”，此应用的模型映射会将其替换为你的模型。上下文窗口采用你的模型的大小；如果未知，则为 128,000 个词元。它不重试，因为 Inference Studio 会在安全的情况下重试。要使用你的 OpenAI 账户，请用 "codex -c model_provider=openai" 启动它。',
    claudeCode:
      '对于子智能体和小任务，Claude Code 会请求 claude-haiku-5-5 等模型，此应用的模型映射会将其替换。上下文窗口采用你的模型的大小；如果未知，则为 128,000 个词元。它不重试，因为 Inference Studio 会在安全的情况下重试。请在终端中取消设置 ANTHROPIC_API_KEY：第二个密钥会被拒绝。要重新使用你的 Anthropic 账户，请断开连接或移除这些值。',
    cline: '在 VS Code 扩展中，选择 "OpenAI Compatible" 作为 API 提供方，并输入同样的三个值。',
    droid: 'Droid 无需登录它自己的账户即可使用此模型。在会话中，用“/model”选择模型。',
    geminiCli:
      '如果你以前用 Google 登录过，请运行“/auth”并选择 "Use Gemini API Key"，或从 ~/.gemini/settings.json 中移除 "selectedType"。对于小任务，Gemini CLI 会请求 gemini-3-flash 等模型，此应用的模型映射会将其替换。',
    vscode:
      '需要“聊天”视图支持 "Custom Endpoint" 模型的 VS Code 版本。请在 "Manage Models" 中选择模型。VS Code 可能会将密钥从此文件移到它自己的机密存储中。',
    ownRetries: '使用 `maxRetries: 0`，因为 Inference Studio 已经会重试：两处重试会使次数成倍增加。',
  },
}
