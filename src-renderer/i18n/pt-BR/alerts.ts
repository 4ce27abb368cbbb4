/** Texts of alerts. Each crossing of a threshold creates one alert. */
export const alerts = {
  title: 'Alertas',
  bell_one: '{{count}} alerta',
  bell_many: '{{count}} de alertas',
  bell_other: '{{count}} alertas',
  bellNone: 'Nenhum alerta',
  news: 'Alerta: {{title}}',
  empty: 'Nenhum alerta',
  emptyAbout: 'Alertas sobre saldo, orçamentos, limites e sua chave de API aparecem aqui.',
  dismiss: 'Dispensar: {{title}}',
  dismissAll: 'Dispensar todos',
  setUp: 'Configurar alertas',
  ended: 'terminou: {{at}}',
  failed: 'Falhou: {{message}}',
  go: {
    usage: 'Abrir uso',
    limits: 'Abrir limites',
    session: 'Abrir a sessão',
    keys: 'Abrir chaves',
    proxy: 'Abrir API local',
    settings: 'Abrir conexões',
  },
  balance: {
    title: 'Saldo abaixo de {{below}} SC',
    body: 'Restam {{balance}} SC na conta. Atualizado em {{at}}.',
  },
  spend: {
    title: 'Mais de {{above}} SC gastos em um dia',
    service: '{{spent}} SC em {{day}} (UTC), informados pelo serviço.',
    here: '{{spent}} SC em {{day}} (UTC), contados neste computador.',
  },
  budget: {
    near: '{{app}}: orçamento quase esgotado',
    short: '{{app}}: orçamento insuficiente para outra solicitação',
    usedUp: '{{app}}: orçamento esgotado',
    day: '{{spent}} de {{budget}} SC por dia.',
    month: '{{spent}} de {{budget}} SC por mês.',
    total: '{{spent}} de {{budget}} SC no total.',
    refused: 'As solicitações deste app são recusadas.',
    asks: 'As próximas solicitações deste app aguardam sua resposta.',
    tooSmall: 'Uma solicitação foi recusada, porque pode custar mais do que resta.',
    usual: 'Restam {{left}} SC. A solicitação habitual deste app custa {{usual}} SC est.',
  },
  busy: {
    title: '{{app}} está muito ativo',
    body_one: '{{count}} solicitação e {{spent}} SC na última hora.',
    body_many: '{{count}} de solicitações e {{spent}} SC na última hora.',
    body_other: '{{count}} solicitações e {{spent}} SC na última hora.',
  },
  tokens: {
    title: '{{app}}: limite de tokens baixo demais',
    body_one:
      'A solicitação habitual deste app usa {{count}} token, e o limite é de {{limit}} por minuto. Solicitações assim são recusadas.',
    body_many:
      'A solicitação habitual deste app usa {{count}} de tokens, e o limite é de {{limit}} por minuto. Solicitações assim são recusadas.',
    body_other:
      'A solicitação habitual deste app usa {{count}} tokens, e o limite é de {{limit}} por minuto. Solicitações assim são recusadas.',
  },
  app: {
    paused: '{{app}} está em pausa',
    expired: 'A chave de {{app}} expirou',
    body: 'Uma solicitação deste app foi recusada.',
  },
  cache: {
    title_one: '{{app}} perdeu o cache em {{count}} rodada',
    title_many: '{{app}} perdeu o cache em {{count}} de rodadas seguidas',
    title_other: '{{app}} perdeu o cache em {{count}} rodadas seguidas',
    body_one: '{{count}} token da última solicitação não veio do cache, o que custou {{cost}} SC a mais. {{advice}}',
    body_many:
      '{{count}} de tokens da última solicitação não vieram do cache, o que custou {{cost}} SC a mais. {{advice}}',
    body_other:
      '{{count}} tokens da última solicitação não vieram do cache, o que custou {{cost}} SC a mais. {{advice}}',
    bodyUnpriced_one: '{{count}} token da última solicitação não veio do cache. {{advice}}',
    bodyUnpriced_many: '{{count}} de tokens da última solicitação não vieram do cache. {{advice}}',
    bodyUnpriced_other: '{{count}} tokens da última solicitação não vieram do cache. {{advice}}',
  },
  key: {
    low: {
      title: 'O saldo da chave de API está baixo',
      body: 'Restam {{left}} de {{limit}} SC. Com 0 SC, o serviço recusa as solicitações dela.',
    },
    empty: {
      title: 'O saldo da chave de API está esgotado',
      body: 'O serviço recusa solicitações pagas até você adicionar créditos à chave.',
    },
    revoked: {
      title: 'A chave de API foi revogada',
      body: 'O serviço vai recusá-la. Informe outra chave nos ajustes.',
    },
    refused: {
      title: 'O serviço rejeitou a chave de API',
      body: 'O serviço respondeu 401. Verifique a chave nos ajustes.',
    },
    credits: {
      title: 'Os créditos se esgotaram',
      body: 'O serviço respondeu 402. Adicione créditos para continuar.',
    },
    forbidden: {
      title: 'O serviço negou o acesso',
      body: 'O serviço respondeu 403: esta chave não tem permissão para a solicitação.',
    },
    named: 'Chave: {{name}}',
  },
  ban: {
    title: 'O serviço bloqueia solicitações',
    until: 'Até {{until}}.',
    open: 'O serviço não informa até quando.',
  },
  settings: {
    balance: 'Saldo abaixo de',
    balanceHint: 'Saldo da conta informado pelo serviço, em SC, sua unidade de crédito. Deixe vazio para desativar.',
    spend: 'Gasto diário acima de',
    spendHint:
      'Por dia UTC, em SC: o maior valor entre o que o serviço informa e o que este computador conta. Deixe vazio para desativar.',
    unit: 'SC',
    amountBad: 'Informe um valor acima de 0, como 2,50.',
    budgets: 'Apps',
    budgetsHint:
      'Quando um app se aproxima do orçamento ou o esgota, quando um limite é pequeno demais para a solicitação habitual dele e quando um app em pausa ou expirado envia uma solicitação.',
    budgetAt: 'Perto do orçamento, %',
    budgetAtHint: 'Avisar quando esta parte de um orçamento for gasta: de 1 a 99.',
    budgetAtBad: 'Informe um número inteiro de 1 a 99.',
    key: 'Chave de API',
    keyHint: 'Quando o saldo da chave está baixo ou a chave é revogada ou rejeitada.',
    ban: 'Bloqueio pelo serviço',
    banHint: 'Quando o serviço bloqueia suas solicitações por um tempo. O alerta diz até quando.',
    cache: 'Cache perdido',
    cacheHint:
      'Quando um app perde o cache do serviço em três rodadas seguidas, e por isso suas solicitações custam mais.',
    notify: 'Notificações do sistema',
    notifyHint: 'Contêm valores e nomes de apps e modelos, nunca uma chave ou mensagem.',
    browser: 'Notificações do navegador',
    browserHint:
      'Mostradas enquanto esta página está aberta. Contêm valores e nomes de apps e modelos, nunca uma chave ou mensagem.',
    browserDenied: 'O navegador bloqueia notificações desta página. Permita-as na barra de endereços.',
    browserMissing: 'Este navegador não oferece notificações.',
    try: 'Enviar um teste',
    notifyFailed: 'A notificação de teste não foi mostrada. {{reason}}',
    tried: 'Este é um alerta de teste.',
    notShown: 'Não foi possível mostrar a notificação.',
  },
}
