/** Texts of the instructions for apps, which Local API shows. What a person pastes is in `features/proxy/setups/`. */
export const appSetups = {
  /** The only name that is not that of a product. */
  shellVariables: 'Shell variables',
  where: { continue: 'VS Code, JetBrains, terminal' },
  /** What to do with the text of a step. */
  steps: {
    codexFile:
      'Save as this file. If the file exists, add the first five lines at its start and the sections at its end.',
    eachTerminal: 'Run this in each new terminal, in your project folder.',
    envFile: 'Save as this file. If the file exists, add these values to its "env".',
    run: 'Run this in your project folder.',
    mergeFile: 'Save as this file. If the file exists, merge the text into it.',
    once: 'Once, in a terminal.',
    mergeSizes: "Save as this file. If the file exists, merge the text into it. The sizes are the model's, in tokens.",
    runChoose: 'Run this in your project folder, and choose the model with Ctrl+L.',
    runPrefix: 'Run this in your project folder. The prefix `openai/` stays, whatever the model.',
    runParts: 'Run this in your project folder. goose takes the address in two parts.',
    addModel: 'Save as this file. If the file exists, add the model to it. Your editor reloads the file automatically.',
    orRun: 'Or run this in a terminal, in your project folder.',
    zedSettings: "Merge into Zed's settings. `max_tokens` is the model's context window.",
    zedKey: 'Zed keeps keys out of its settings: start it with this, or enter the key under LLM Providers.',
    shell: 'In the shell that starts the app. Everything built on the official OpenAI libraries reads these two.',
    streamed: 'A streamed reply, as it comes.',
    python: 'After `pip install openai`, in a Python program.',
    onceKey: 'Once, in a terminal: the key.',
    llmModels: 'Add to extra-openai-models.yaml in the folder that `dirname "$(llm logs path)"` prints.',
    finally: 'Then, in a terminal.',
    module: 'After `npm install {{packages}}`, in a module.',
  },
  notes: {
    codex:
      'Codex asks for gpt-5.5, and the model map of this app replaces it with your model. {{contextWindow}} is the context window in tokens: change it if your model has another. No retries, because Inference Studio retries where that is safe. To use your OpenAI account, start it with "codex -c model_provider=openai".',
    claudeCode:
      'For subagents and small tasks Claude Code asks for models such as claude-haiku-5-5, which the model map of this app replaces. {{contextWindow}} is the context window in tokens: change it if your model has another. No retries, because Inference Studio retries where that is safe. Unset ANTHROPIC_API_KEY in your terminal: a second key is refused. To use your Anthropic account again, remove these values.',
    cline: 'In the VS Code extension choose "OpenAI Compatible" as the API provider and enter the same three values.',
    nanocoder: 'On macOS the file is ~/Library/Preferences/nanocoder/agents.config.json.',
    ownRetries: '`maxRetries: 0` because the studio asks again already: two loops would multiply.',
  },
}
