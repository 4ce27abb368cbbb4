/** Texts of the instructions for apps, which Local API shows. What a person pastes is in `features/proxy/setups/`. */
export const appSetups = {
  /** The only name that is not that of a product. */
  shellVariables: 'متغيرات سطر الأوامر',
  where: { continue: 'VS Code، JetBrains، الطرفية' },
  /** What to do with the text of a step. */
  steps: {
    tomlFile:
      'يُحفظ في هذا الملف. إذا كان الملف موجودًا، تُضاف الأسطر التي تسبق القسم الأول في بدايته، والأقسام في نهايته.',
    eachTerminal: 'يُنفَّذ في كل طرفية جديدة، في مجلد المشروع.',
    envFile: 'يُحفظ في هذا الملف. إذا كان الملف موجودًا، تُضاف هذه القيم إلى "env" فيه.',
    run: 'يُنفَّذ في مجلد المشروع.',
    mergeFile: 'يُحفظ في هذا الملف. إذا كان الملف موجودًا، يُدمج النص فيه.',
    mergeSizes: 'يُحفظ في هذا الملف. إذا كان الملف موجودًا، يُدمج النص فيه. الأحجام هي أحجام النموذج، بالتوكنات.',
    runChoose: 'يُنفَّذ في مجلد المشروع، ويُختار النموذج باستخدام Ctrl+L.',
    runParts: 'يُنفَّذ في مجلد المشروع. يأخذ Goose العنوان على جزأين.',
    mergeList: 'يُحفظ في هذا الملف. إذا كان الملف موجودًا، يُضاف الإدخال إلى قائمته. يعيد المحرّر تحميل الملف تلقائيًا.',
    orRun: 'أو يُنفَّذ هذا في طرفية، في مجلد المشروع.',
    zedKey: 'لا يحفظ Zed المفاتيح في إعداداته: يُشغَّل بهذا الأمر، أو يُدخل المفتاح ضمن "LLM Providers".',
    shell: 'في الطرفية التي تشغّل التطبيق. كل ما بُني على مكتبات OpenAI الرسمية يقرأ هذين المتغيرين.',
    streamed: 'رد مبثوث كما يصل.',
    python: 'بعد `pip install openai`، في برنامج Python.',
    onceKey: 'يُنفَّذ مرة واحدة في طرفية لحفظ المفتاح.',
    llmModels: 'يُضاف إلى extra-openai-models.yaml في المجلد الذي يطبعه `dirname "$(llm logs path)"`.',
    finally: 'ثم يُنفَّذ هذا في طرفية.',
    module: 'بعد `npm install {{packages}}`، في وحدة برمجية.',
  },
  /** When a change of its file takes effect. */
  takesEffect: {
    atOnce: 'يقرأ {{name}} التغيير فورًا.',
    nextSession: 'يقرأ {{name}} التغيير عند تشغيله في المرة التالية.',
    restart: 'تلزم بعد ذلك إعادة تشغيل {{name}}.',
  },
  /** Where the key is, when it is not in the file. */
  keyPlaces: {
    file: 'مفتاحه في هذا الملف.',
    environment: 'يقرأ مفتاحه من الطرفية التي يُشغَّل فيها.',
    secretStore: 'يحفظ مفتاحه في مخزن خاص به: يُرجى إدخال مفتاح التطبيق هناك.',
  },
  notes: {
    codex:
      'يطلب Codex النموذج "gpt-5.5"، وتضع خريطة نماذج هذا التطبيق نموذجك مكانه. نافذة السياق هي نافذة نموذجك إذا كانت معروفة، وإلا فهي 128,000 توكن. لا إعادة محاولة، لأن Inference Studio يعيدها حيث يكون ذلك آمنًا. لاستخدام حسابك في OpenAI، يُشغَّل بالأمر "codex -c model_provider=openai".',
    claudeCode:
      'للوكلاء الفرعيين والمهام الصغيرة يطلب Claude Code نماذج مثل "claude-haiku-5-5"، وتضع خريطة نماذج هذا التطبيق نماذجك مكانها. نافذة السياق هي نافذة نموذجك إذا كانت معروفة، وإلا فهي 128,000 توكن. لا إعادة محاولة، لأن Inference Studio يعيدها حيث يكون ذلك آمنًا. يُرجى إلغاء تعيين ANTHROPIC_API_KEY في الطرفية: يُرفض وجود مفتاح ثانٍ. لاستخدام حسابك في Anthropic مجددًا، يُرجى فصله أو إزالة هذه القيم.',
    cline: 'في إضافة VS Code يُختار "OpenAI Compatible" مزوّدًا لواجهة API، وتُدخل القيم الثلاث نفسها.',
    droid: 'يعمل Droid مع هذا النموذج دون تسجيل الدخول إلى حسابه. في الجلسة، يُختار النموذج باستخدام "⁦/model⁩".',
    geminiCli:
      'إذا سبق تسجيل الدخول بحساب Google، يُنفَّذ "⁦/auth⁩" ويُختار "Use Gemini API Key"، أو يُزال "selectedType" من "⁦~/.gemini/settings.json⁩". للمهام الصغيرة يطلب Gemini CLI نماذج مثل "gemini-3-flash"، وتضع خريطة نماذج هذا التطبيق نماذجك مكانها.',
    vscode:
      'يتطلب إصدارًا من VS Code يحتوي فيه عرض الدردشة على نماذج من نوع "Custom Endpoint". يُختار النموذج ضمن "Manage Models". قد ينقل VS Code المفتاح من هذا الملف إلى مخزن أسراره.',
    ownRetries: '`maxRetries: 0` لأن Inference Studio يعيد المحاولة بالفعل: حلقتان تضاعفان عدد المحاولات.',
  },
}
