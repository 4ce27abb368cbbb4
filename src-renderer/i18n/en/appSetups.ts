/** Texts of the instructions for apps, which Local API shows. What a person pastes is in `features/proxy/setups/`. */
export const appSetups = {
  /** The only name that is not that of a product. */
  shellVariables: 'Shell variables',
  where: { continue: 'VS Code, JetBrains, terminal' },
  /** What to do with the text of a step. */
  steps: {
    tomlFile:
      'Save as this file. If the file exists, add the lines above the first section at its start, and the sections at its end.',
    eachTerminal: 'Run this in each new terminal, in your project folder.',
    envFile: 'Save as this file. If the file exists, add these values to its "env".',
    run: 'Run this in your project folder.',
    mergeFile: 'Save as this file. If the file exists, merge the text into it.',
    mergeSizes: 'Save as this file. If the file exists, merge the text into it. The sizes are the model’s, in tokens.',
    runChoose: 'Run this in your project folder, and choose the model with Ctrl+L.',
    runParts: 'Run this in your project folder. goose takes the address in two parts.',
    mergeList:
      'Save as this file. If the file exists, add the entry to its list. Your editor reloads the file automatically.',
    orRun: 'Or run this in a terminal, in your project folder.',
    zedKey: 'Zed keeps keys out of its settings: start it with this, or enter the key under LLM Providers.',
    shell: 'In the shell that starts the app. Everything built on the official OpenAI libraries reads these two.',
    streamed: 'A streamed reply, as it comes.',
    python: 'After `pip install openai`, in a Python program.',
    onceKey: 'Run this once in a terminal, to store the key.',
    llmModels: 'Add to extra-openai-models.yaml in the folder that `dirname "$(llm logs path)"` prints.',
    finally: 'Then run this in a terminal.',
    module: 'After `npm install {{packages}}`, in a module.',
  },
  /** When a change of its file takes effect. */
  takesEffect: {
    atOnce: '{{name}} reads the change at once.',
    nextSession: '{{name}} reads the change when you start it the next time.',
    restart: 'Restart {{name}} afterwards.',
  },
  /** Where the key is, when it is not in the file. */
  keyPlaces: {
    file: 'Its key is in this file.',
    environment: 'It reads its key from the terminal in which you start it.',
    secretStore: 'It keeps its key in a store of its own: enter the app key there.',
  },
  notes: {
    codex:
      'Codex asks for gpt-5.5, and the model map of this app replaces it with your model. The context window is that of your model where it is known, else 128,000 tokens. No retries, because Inference Studio retries where that is safe. To use your OpenAI account, start it with "codex -c model_provider=openai".',
    claudeCode:
      'For subagents and small tasks Claude Code asks for models such as claude-haiku-5-5, which the model map of this app replaces. The context window is that of your model where it is known, else 128,000 tokens. No retries, because Inference Studio retries where that is safe. Unset ANTHROPIC_API_KEY in your terminal: a second key is refused. To use your Anthropic account again, disconnect it or remove these values.',
    cline: 'In the VS Code extension choose "OpenAI Compatible" as the API provider and enter the same three values.',
    droid:
      'Droid works with this model without signing in to its own account. In a session, choose the model with /model.',
    geminiCli:
      'If you signed in with Google before, run /auth and choose "Use Gemini API Key", or remove "selectedType" from ~/.gemini/settings.json. For small tasks Gemini CLI asks for models such as gemini-3-flash, which the model map of this app replaces.',
    vscode:
      'Needs a version of VS Code whose Chat view has models of a "Custom Endpoint". Choose the model under "Manage Models". VS Code may move the key from this file to its own secret storage.',
    ownRetries: '`maxRetries: 0` because the studio asks again already: two loops would multiply.',
  },
}
