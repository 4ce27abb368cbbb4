/** Texts of the instructions for apps, which Local API shows. What a person pastes is in `features/proxy/setups/`. */
export const appSetups = {
  /** The only name that is not that of a product. */
  shellVariables: 'Variables del shell',
  where: { continue: 'VS Code, JetBrains, terminal' },
  /** What to do with the text of a step. */
  steps: {
    tomlFile:
      'Guárdalo como este archivo. Si el archivo ya existe, añade al comienzo las líneas anteriores a la primera sección, y las secciones al final.',
    eachTerminal: 'Ejecútalo en cada terminal nuevo, en la carpeta de tu proyecto.',
    envFile: 'Guárdalo como este archivo. Si el archivo ya existe, añade estos valores a su "env".',
    run: 'Ejecútalo en la carpeta de tu proyecto.',
    mergeFile: 'Guárdalo como este archivo. Si el archivo ya existe, combina el texto con su contenido.',
    mergeSizes:
      'Guárdalo como este archivo. Si el archivo ya existe, combina el texto con su contenido. Los tamaños son los del modelo, en tokens.',
    runChoose: 'Ejecútalo en la carpeta de tu proyecto y elige el modelo con Ctrl+L.',
    runParts: 'Ejecútalo en la carpeta de tu proyecto. goose recibe la dirección en dos partes.',
    mergeList:
      'Guárdalo como este archivo. Si el archivo ya existe, añade la entrada a su lista. Tu editor recarga el archivo automáticamente.',
    orRun: 'O ejecuta esto en un terminal, en la carpeta de tu proyecto.',
    zedKey: 'Zed no guarda las claves en sus ajustes: inícialo con esto o introduce la clave en LLM Providers.',
    shell:
      'En el shell que inicia la app. Todo lo que se basa en las bibliotecas oficiales de OpenAI lee estas dos variables.',
    streamed: 'Una respuesta que se muestra a medida que llega.',
    python: 'Después de `pip install openai`, en un programa de Python.',
    onceKey: 'Ejecútalo una sola vez en un terminal para guardar la clave.',
    llmModels: 'Añádelo a extra-openai-models.yaml en la carpeta que muestra `dirname "$(llm logs path)"`.',
    finally: 'Después, ejecuta esto en un terminal.',
    module: 'Después de `npm install {{packages}}`, en un módulo.',
  },
  /** When a change of its file takes effect. */
  takesEffect: {
    atOnce: '{{name}} lee el cambio de inmediato.',
    nextSession: '{{name}} lee el cambio la próxima vez que lo inicies.',
    restart: 'Después, reinicia {{name}}.',
  },
  /** Where the key is, when it is not in the file. */
  keyPlaces: {
    file: 'Su clave está en este archivo.',
    environment: 'Lee su clave del terminal en el que lo inicias.',
    secretStore: 'Guarda su clave en un almacén propio: introduce allí la clave de app.',
  },
  notes: {
    codex:
      'Codex pide gpt-5.5, y el mapa de modelos de esta app lo sustituye por tu modelo. La ventana de contexto es la de tu modelo si se conoce; si no, 128 000 tokens. Sin reintentos, porque Inference Studio reintenta cuando es seguro. Para usar tu cuenta de OpenAI, inícialo con "codex -c model_provider=openai".',
    claudeCode:
      'Para los subagentes y las tareas pequeñas, Claude Code pide modelos como claude-haiku-5-5, que el mapa de modelos de esta app sustituye. La ventana de contexto es la de tu modelo si se conoce; si no, 128 000 tokens. Sin reintentos, porque Inference Studio reintenta cuando es seguro. Quita ANTHROPIC_API_KEY de tu terminal: una segunda clave se rechaza. Para volver a usar tu cuenta de Anthropic, desconéctalo o quita estos valores.',
    cline:
      'En la extensión de VS Code, elige "OpenAI Compatible" como proveedor de API e introduce los mismos tres valores.',
    droid:
      'Droid funciona con este modelo sin iniciar sesión en su propia cuenta. En una sesión, elige el modelo con /model.',
    geminiCli:
      'Si antes iniciaste sesión con Google, ejecuta /auth y elige "Use Gemini API Key", o quita "selectedType" de ~/.gemini/settings.json. Para las tareas pequeñas, Gemini CLI pide modelos como gemini-3-flash, que el mapa de modelos de esta app sustituye.',
    vscode:
      'Necesita una versión de VS Code cuya vista Chat tenga modelos de un "Custom Endpoint". Elige el modelo en "Manage Models". VS Code puede pasar la clave de este archivo a su propio almacén de secretos.',
    ownRetries: '`maxRetries: 0` porque Inference Studio ya reintenta: dos bucles multiplicarían los intentos.',
  },
}
