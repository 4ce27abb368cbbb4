/** Texts of the instructions for apps, which Local API shows. What a person pastes is in `features/proxy/setups/`. */
export const appSetups = {
  /** The only name that is not that of a product. */
  shellVariables: 'Variáveis do shell',
  where: { continue: 'VS Code, JetBrains, terminal' },
  /** What to do with the text of a step. */
  steps: {
    tomlFile:
      'Salve como este arquivo. Se o arquivo já existe, adicione as linhas acima da primeira seção no início dele, e as seções no fim.',
    eachTerminal: 'Execute isto em cada novo terminal, na pasta do seu projeto.',
    envFile: 'Salve como este arquivo. Se o arquivo já existe, adicione estes valores ao "env" dele.',
    run: 'Execute isto na pasta do seu projeto.',
    mergeFile: 'Salve como este arquivo. Se o arquivo já existe, inclua o texto nele.',
    mergeSizes:
      'Salve como este arquivo. Se o arquivo já existe, inclua o texto nele. Os tamanhos são os do modelo, em tokens.',
    runChoose: 'Execute isto na pasta do seu projeto e escolha o modelo com Ctrl+L.',
    runParts: 'Execute isto na pasta do seu projeto. O goose recebe o endereço em duas partes.',
    mergeList:
      'Salve como este arquivo. Se o arquivo já existe, adicione a entrada à lista dele. Seu editor recarrega o arquivo automaticamente.',
    orRun: 'Ou execute isto em um terminal, na pasta do seu projeto.',
    zedKey: 'O Zed não guarda chaves nas configurações: inicie-o com isto ou informe a chave em LLM Providers.',
    shell: 'No shell que inicia o app. Tudo o que usa as bibliotecas oficiais da OpenAI lê estas duas.',
    streamed: 'Uma resposta por streaming, conforme chega.',
    python: 'Depois de `pip install openai`, em um programa Python.',
    onceKey: 'Execute isto uma única vez em um terminal para salvar a chave.',
    llmModels: 'Adicione a extra-openai-models.yaml na pasta que `dirname "$(llm logs path)"` mostra.',
    finally: 'Depois, execute isto em um terminal.',
    module: 'Depois de `npm install {{packages}}`, em um módulo.',
  },
  /** When a change of its file takes effect. */
  takesEffect: {
    atOnce: '{{name}} lê a alteração imediatamente.',
    nextSession: '{{name}} lê a alteração na próxima vez que você o iniciar.',
    restart: 'Depois, reinicie {{name}}.',
  },
  /** Where the key is, when it is not in the file. */
  keyPlaces: {
    file: 'A chave está neste arquivo.',
    environment: 'A chave é lida do terminal em que você inicia o programa.',
    secretStore: 'O programa guarda a chave em um local próprio: informe lá a chave do app.',
  },
  notes: {
    codex:
      'O Codex pede gpt-5.5, e o mapa de modelos deste app o substitui pelo seu modelo. A janela de contexto é a do seu modelo, se for conhecida, ou então 128.000 tokens. Sem novas tentativas, porque o Inference Studio tenta de novo onde isso é seguro. Para usar sua conta da OpenAI, inicie-o com "codex -c model_provider=openai".',
    claudeCode:
      'Para subagentes e tarefas pequenas, o Claude Code pede modelos como claude-haiku-5-5, que o mapa de modelos deste app substitui. A janela de contexto é a do seu modelo, se for conhecida, ou então 128.000 tokens. Sem novas tentativas, porque o Inference Studio tenta de novo onde isso é seguro. Remova ANTHROPIC_API_KEY do seu terminal: uma segunda chave é recusada. Para usar sua conta da Anthropic de novo, desconecte-o ou remova estes valores.',
    cline: 'Na extensão do VS Code, escolha "OpenAI Compatible" como provedor de API e informe os mesmos três valores.',
    droid:
      'Com este modelo, o Droid funciona sem que você faça login na conta dele. Em uma sessão, escolha o modelo com /model.',
    geminiCli:
      'Se você já fez login com o Google, execute /auth e escolha "Use Gemini API Key", ou remova "selectedType" de ~/.gemini/settings.json. Para tarefas pequenas, o Gemini CLI pede modelos como gemini-3-flash, que o mapa de modelos deste app substitui.',
    vscode:
      'Requer uma versão do VS Code cuja visualização Chat tenha modelos de um "Custom Endpoint". Escolha o modelo em "Manage Models". O VS Code pode mover a chave deste arquivo para seu próprio armazenamento de segredos.',
    ownRetries: '`maxRetries: 0` porque o Inference Studio já tenta de novo: as tentativas se multiplicariam.',
  },
}
