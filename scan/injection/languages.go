// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package injection

// others is the vocabulary of "ignore the previous instructions" in other languages.
// Languages that put the verb last say "ignoring".
var others = []lexeme{
	// please, and what else stands before an order
	{"direct", "bitte veuillez favor prego alstublieft snälla пожалуйста lütfen proszę prosím mohon tolong hãy kérem hagyd hagyja caso"},
	// Hungarian, Finnish
	{"ignore", "figyelmen unohda ohita"},
	{"prev", "korábbi előző aiemmat edelliset aikaisemmat"},
	{"all", "összes minden kaikki"},
	{"instr", "utasítás* ohjeet ohjeita"},
	// German, Dutch, Swedish, Danish, Norwegian
	{"ignore", "ignoriere ignorieren ignoriert vergiss vergesst vergessen missachte missachten negeer negeren vergeet ignorera glöm strunta ignorer glem"},
	{"prev", "vorherigen vorherige vorigen vorige bisherigen bisherige obigen obige früheren frühere vorangegangenen vorangehenden voorgaande eerdere bovenstaande tidigare föregående ovanstående tidligere forrige ovenstående"},
	{"all", "alle alles sämtliche allen alla"},
	{"instr", "anweisung anweisungen instruktionen instruktion anleitungen vorgaben instructie instructies aanwijzingen opdrachten instruktioner instruktionerna anvisningar anvisninger instrukser"},
	{"rule", "regeln befehle regels regler"},
	// French
	{"neg", "ne"},
	{"follow", "tiens tenez suis suivez"},
	{"ignore", "ignorez ignorer oubliez oublie oublier négligez"},
	{"prev", "précédentes précédente précédents précédent antérieures antérieurs dessus préalables"},
	{"all", "toutes tous tout"},
	{"instr", "consignes consigne"},
	{"rule", "règles ordres commandes"},
	// Spanish, Portuguese, Italian, Catalan, Romanian
	{"ignore", "omiso ignora ignorar ignoren ignorad olvida olvide olvidate olvídate olvidar omite omita esqueça esquece esquecer desconsidere desconsiderar despreze ignorare ignorate dimentica dimenticate dimenticare trascura ignoreu ignorați ignoră"},
	{"prev", "anteriores anterior previas previos previa previo arriba prévias prévios acima precedenti precedente prima sopra anterioare anteriors"},
	{"all", "todas todos todo tudo tutte tutti tutto toate totes"},
	{"instr", "instrucciones instrucción indicaciones directrices directivas instruções instrução orientações diretrizes istruzioni istruzione indicazioni direttive instrucțiunile instruccions"},
	{"rule", "reglas órdenes ordenes normas regras ordens comandos regole ordini"},
	{"told", "dicho dijeron dito disseram detto dit gesagt gezegd"},
	{"source", "página fonction tableau función tabla currículum pagina funzione tabella função tabela currículo webseite lebenslauf funktion tabelle curriculum résumé"},
	{"say", "indiquez déclarez dites sage gib diga declara indica dichiara declare indique"},
	// Polish, Czech, Slovak
	{"ignore", "zignoruj* ignoruj* pomiń zapomnij* zapomeň* zabudni*"},
	{"prev", "poprzedni* wcześniejsz* powyższ* předchozí* předešl* výše predchádzajúc*"},
	{"all", "wszystki* všechn* všetk*"},
	{"instr", "instrukcj* poleceni* poleceń wytyczn* instrukc* pokyn*"},
	{"rule", "zasad* reguł* pravid*"},
	// Russian, Ukrainian, Bulgarian
	{"ignore", "игнорир* проигнорир* забуд* пренебрег* ігнору* проігнору* забрави игнорирай*"},
	{"prev", "предыдущ* прежн* вышеуказанн* вышеизложенн* ранее выше попередн* предишн*"},
	{"all", "все всё всех всю всі усі всички"},
	{"instr", "инструкци* указани* распоряжени* інструкці* вказівк*"},
	{"source", "страницу функцию таблицу резюме статью"},
	{"say", "скажите укажите скажи напиши сообщите"},
	{"rule", "правил* приказ* команд*"},
	// Greek
	{"ignore", "αγνόησε αγνοήστε ξέχνα ξεχάστε"},
	{"prev", "προηγούμεν* παραπάνω"},
	{"all", "όλες όλα"},
	{"instr", "οδηγίες εντολές"},
	// Turkish
	{"ignoring", "görmezden yoksay* yok unut*"},
	{"prev", "önceki yukarıdaki"},
	{"all", "tüm bütün"},
	{"instr", "talimat* yönerge*"},
	{"rule", "kural*"},
	// Indonesian, Malay, Tagalog, Vietnamese
	{"ignore", "abaikan lupakan balewalain kalimutan bỏ phớt quên"},
	{"prev", "sebelumnya atas nakaraang naunang trước"},
	{"all", "semua lahat tất"},
	{"instr", "instruksi perintah petunjuk arahan tagubilin panuto instruksyon hướng chỉ lệnh"},
	{"rule", "aturan peraturan"},
	// Chinese
	{"ignore", "忽略 忽视 忽視 无视 無視 忘记 忘記 忘掉 不要理会 不要遵守"},
	{"prev", "之前 以前 先前 以上 上述 前面 上面 此前 之上 先前的"},
	{"all", "所有 全部 一切 任何"},
	{"instr", "指令 指示 提示词 提示詞 提示 命令 指引"},
	{"rule", "规则 規則 限制 要求 约束 内容"},
	{"source", "网页 網頁 简历 函数 表格 文章"},
	{"say", "声明 說 说 状态 输出 回答"},
	// Japanese
	{"ignoring", "無視 忘れて 忘れろ 忘れなさい"},
	{"prev", "以前 これまで 前の 上記 先ほど 今まで 以上 今までの"},
	{"all", "すべて 全て 全部"},
	{"instr", "指示 命令 プロンプト 指令"},
	{"rule", "ルール 規則 制約"},
	// Korean
	{"ignoring", "무시 잊어 잊으 잊고 잊어버리"},
	{"prev", "이전 앞선 위의 지금까지 앞의 기존"},
	{"all", "모든 모두"},
	{"instr", "지시 명령 지침 프롬프트"},
	{"rule", "규칙 제한"},
	// Hindi, Bengali
	{"ignoring", "अनदेखा अनदेखी नज़रअंदाज़ नजरअंदाज उपेक्षा अवहेलना भूल উপেক্ষা ভুলে অগ্রাহ্য"},
	{"prev", "पिछले पिछली पूर्व पहले उपरोक्त আগের পূর্ববর্তী পূর্বের"},
	{"all", "सभी सब সমস্ত সব সকল"},
	{"instr", "निर्देश* आदेश* নির্দেশ*"},
	{"rule", "नियम* নিয়ম*"},
	{"told", "बताया कहा বলা"},
	// Arabic, Persian, Hebrew
	{"ignore", "تجاهل تجاهلي تجاهلوا تغاضى تغاض انس انسى התעלם התעלמי התעלמו שכח שכחי"},
	{"ignoring", "نادیده فراموش"},
	{"prev", "السابقة السابق سابقة سابقا أعلاه قبل قبلی پیشین קודמות הקודמות הקודמים"},
	{"all", "جميع كل كافة همه تمام כל"},
	{"instr", "التعليمات تعليمات تعليماتك الإرشادات إرشادات الأوامر الاوامر أوامر دستورالعمل* دستورات ההוראות הוראות ההנחיות הנחיות"},
	{"rule", "القواعد قواعد הכללים"},
	// Thai
	{"ignore", "ละเว้น เพิกเฉย ไม่สนใจ ลืม ไม่ต้องสนใจ"},
	{"prev", "ก่อนหน้า ข้างต้น"},
	{"all", "ทั้งหมด"},
	{"instr", "คำสั่ง คำแนะนำ คำชี้แจง"},
}
