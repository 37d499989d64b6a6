"""Phrases that tell how a person takes an answer, in English, German, French, Spanish and Portuguese.

A group holds what means the same in any of the five, so that what is learnt from English holds for the others.
"""

from __future__ import annotations

# Written as people write them; they are folded (no capitals, accents or apostrophes) before they are looked up.
GROUPS: dict[str, str] = {
    "a no": """
        no|nope|nah|not quite|not really|no no|definitely not|of course not
        nein|nee|nö|doch nicht|auf keinen fall|ganz und gar nicht
        non|pas vraiment|pas du tout|surtout pas
        para nada|en absoluto|de ninguna manera|claro que no
        não|de jeito nenhum|nada disso|de modo algum|nem pensar
    """,
    "says it is wrong": """
        wrong|incorrect|incorrectly|not right|isn't right|not correct|isn't correct|aren't right|not true|isn't true
        mistake|you made a mistake|inaccurate|mistaken|false|not accurate|out of date|outdated|invalid|isn't what
        not what i|isn't what i|that's not|that is not|this isn't|this is not|it's not|not the right|not how
        doesn't match|does not match|mismatch|doesn't look right|doesn't seem right|looks off|is off|not good|isn't good
        falsch|falsche|falschen|falscher|stimmt nicht|stimmt so nicht|nicht richtig|nicht korrekt|fehler|irrtum
        inkorrekt
        ist nicht das|war nicht das|passt nicht|passt so nicht|so nicht|nicht das was|verkehrt|unsinn|quatsch|veraltet
        faux|fausse|incorrecte|pas correct|pas bon|pas bonne|pas juste|pas ce que|pas exact|inexact|erreur|erroné
        pas ça|tu te trompes|vous vous trompez|n'importe quoi|mauvais|mauvaise|ne correspond pas|pas comme ça|obsolète
        incorrecto|incorrecta|está mal|equivocado|equivocada|te equivocas|te equivocaste|no es correcto|no es correcta
        no es lo que|eso no es|así no|no está bien|no es así|erróneo|errónea|mal hecho|no coincide|no es verdad
        errado|errada|incorreto|incorreta|não está certo|não está correto|não é isso|não é o que|não foi isso|engano
        está mal|se enganou|não é verdade|não bate|não corresponde|não é bem assim|não era isso|no era eso|desatualizado
    """,
    "says it does not work": """
        doesn't work|does not work|didn't work|did not work|not working|isn't working|still not|still doesn't
        still broken
        broken|broke|still fails|fails|failing|failed|crashes|crashed|did nothing|does nothing|nothing happens
        same error
        still getting|still see|still shows|still has|still there|i'm getting|i get an error|won't compile|can't compile
        didn't change|nothing changed|was ignored|ignored|ignores|you broke|it broke|regression|still the same
        isn't there
        geht nicht|funktioniert nicht|klappt nicht|kaputt|immer noch|schlägt fehl|schlagen fehl|stürzt ab
        nichts passiert
        gleiche fehler|hat nichts gebracht|läuft nicht|geht immer noch|ignoriert|bricht ab
        ne marche pas|marche pas|fonctionne pas|ne fonctionne|toujours pas|plante|cassé|échoue|échouent|même erreur
        encore la même|toujours la même|rien ne se passe|toujours l'erreur|a cassé|ignoré|ça plante
        no funciona|no funcionan|sigue sin|sigue fallando|falla|fallan|roto|rompiste|mismo error|no hace nada|no compila
        todavía no|no ha cambiado|sigue igual|se rompe|has roto|se cuelga|ignoraste
        não funciona|não funcionou|não funcionam|continua a|continua com|ainda não|ainda dá|quebrou|falha|falham
        mesmo erro
        não compila|não mudou|não fez nada|continua igual|dá erro|partiste|ignorou
    """,
    "wants something else instead": """
        instead|instead of|rather than|rather|not that one|the other one|other one|other way|other side|opposite|swap
        replace|switch|supersede|change it to|should be|should have|should've|supposed to|was supposed|needs to be
        ought to
        shouldn't|should not|should only|should match|must be|has to be|other direction|in place of
        stattdessen|statt|anstatt|sondern|lieber|vielmehr|ersetze|sollte|sollten|sollst|soll|hätte|müsste|gehört
        anstelle|eigentlich
        au lieu|à la place|plutôt|remplace|remplacez|devrait|devraient|aurait dû|fallait|il faut|doit être|doivent être
        en lugar|en vez|más bien|sino|reemplaza|sustituye|cambia|debería|deberían|tenía que|tiene que|debe ser|deben ser
        em vez|ao invés|no lugar|mas sim|substitui|substitua|troca|troque|deveria|deveriam|devia|tem que ser|deve ser
        tinha que|era para|era suposto
    """,
    "an exception": """
        but|except|however|though|although|only that|aside from
        aber|jedoch|allerdings|außer|bis auf
        mais|sauf|par contre|cependant|en revanche
        pero|salvo|excepto|sin embargo|aunque
        mas|exceto|porém|só que|no entanto|contudo
    """,
    "takes it back": """
        undo|revert|roll back|rollback|put it back|put back|change it back|go back|restore|back out|bring back|reset
        rückgängig|mach das rückgängig|zurücksetzen|setz das zurück|nimm das zurück|wiederherstellen|rückgängig machen
        annule|annulez|reviens|revenez|remets|remettez|restaure|rétablis
        deshaz|deshacer|revierte|revertir|vuelve a poner|restaura|devuelve
        desfaz|desfaça|desfazer|reverte|reverta|reverter|volta atrás|volte atrás|repõe|restaure
    """,
    "asks to change it": """
        fix|remove|delete|rename|drop|get rid of|take out|move it|move that|shift|rotate|rewrite|redo|correct it
        correct that
        adjust|break those|destroy|pick up|take off|line it up|flip|shorten|simplify|make sure|ensure
        korrigiere|korrigier|entferne|entfern|lösche|lösch|ändere|änder|verschiebe|benenne|nimm|mach das|behebe|schreib
        corrige|corrigez|enlève|enlevez|supprime|supprimez|retire|retirez|change|modifie|renomme|refais|déplace
        raccourcis
        corrige|corrígelo|quita|quítalo|elimina|borra|renombra|mueve|arregla|rehaz|modifica|asegúrate|acorta
        corrige|corrija|tira|tire|remove|remova|apaga|apague|renomeia|muda|mude|conserta|conserte|refaz|altera|arruma
    """,
    "forbids": """
        don't|do not|dont|stop|never|no more|not like that|quit|avoid|without asking
        nicht|kein|keine|keinen|hör auf|niemals|nie wieder|lass das|ohne
        arrête|arrêtez|jamais|ne fais pas|ne faites pas|ne touche pas|ne mets pas|n'utilise pas|n'ajoute pas|évite|sans
        no hagas|no uses|no toques|no pongas|no añadas|no cambies|deja de|nunca|evita|jamás|sin
        não faça|não faz|não uses|não use|não mexas|não mexa|não ponhas|não adicione|pare de|para de|evite|sem
    """,
    "reminds of what was said": """
        i said|i asked|i told you|as i said|like i said|i already|we already|already told|we decided|we agreed
        i specified
        you were told|were told|we said|i wanted|i meant|i mean|i did not ask|i didn't ask|i never asked|i requested
        as requested|as discussed|i thought we|remember|told you|how many times|not what i asked
        ich sagte|ich habe gesagt|hab ich gesagt|habe ich gesagt|hatte ich|ich wollte|ich meinte|wie gesagt|wir hatten
        nicht gebeten|nicht verlangt|nicht gefragt|schon gesagt|hatten wir|ich habe doch|gemeint|abgemacht|vereinbart
        j'ai dit|je t'ai dit|je vous ai dit|j'avais dit|j'ai demandé|je t'ai demandé|je voulais|comme je l'ai dit
        j'avais demandé|je n'ai pas demandé|pas demandé|on avait dit|on avait décidé|je parlais|déjà dit|convenu
        dije|te dije|ya te dije|te pedí|pedí|quería|como dije|no te pedí|habíamos|me refería|quise decir|acordamos
        ya dije
        eu disse|já disse|te disse|pedi|eu pedi|eu queria|como eu disse|não pedi|tínhamos|me referia|quis dizer
        combinamos
        já falei|eu falei|combinámos
    """,
    "something is missing": """
        missing|you forgot|forgot|forgotten|left out|you missed|missed|you skipped|skipped|incomplete|not included
        you didn't|you did not|you haven't|didn't add|didn't update|didn't include|where is|where are|nowhere|there's no
        there is no|there are no|isn't showing|doesn't include|does not include|doesn't have|also need
        fehlt|fehlen|vergessen|nicht drin|unvollständig|übersehen|ausgelassen|wo ist|wo sind|hast du nicht
        nicht enthalten
        manque|manquent|oublié|tu as oublié|vous avez oublié|incomplet|il n'y a pas|où est|où sont|tu n'as pas|sauté
        falta|faltan|olvidaste|te olvidaste|has olvidado|te faltó|incompleto|no incluye|dónde está|no has|omitiste
        falta|faltam|faltou|esqueceu|esqueceste|esqueceu-se|incompleto|não inclui|onde está|cadê|não tem o|pulou
        saltaste
    """,
    "finds it needless": """
        don't need|do not need|doesn't need|no need|not needed|unnecessary|needless|pointless|overkill|too long|too much
        too many|too verbose|too complicated|too short|too big|too small|too slow|too vague|irrelevant|noise
        redundant|duplicated|duplicate|not helpful|unhelpful|useless|not necessary|way too|over engineered
        brauche ich nicht|brauchen wir nicht|nicht nötig|unnötig|überflüssig|zu lang|zu viel|zu viele|zu kompliziert
        zu kurz|doppelt|nutzlos|nicht hilfreich|viel zu|zu langsam|zu ausführlich
        pas besoin|inutile|inutiles|trop long|trop longue|trop de|trop compliqué|superflu|pas nécessaire|beaucoup trop
        trop court|trop lent|trop verbeux|redondant
        no hace falta|no necesito|no necesitamos|innecesario|innecesaria|demasiado|demasiada|sobra|sobran|inútil
        redundante|muy largo|muy complicado
        não precisa|não preciso|não precisamos|desnecessário|desnecessária|demais|muito longo|muito complicado|inútil
        sobrando|longo demais|demasiado
    """,
    "does not follow": """
        what do you mean|what are you talking about|makes no sense|make no sense|doesn't make sense|does not make sense
        doesnt make any sense|no idea what|what does that have|huh|i don't understand|i don't get it|confusing|confused
        what is this|what's this|weird|odd|strange|unexpected|not what we're talking|still talking about
        answer my question
        didn't answer|did not answer|off topic|i don't know what|not helpful
        was meinst du|was soll das|ergibt keinen sinn|macht keinen sinn|verstehe ich nicht|verstehe nicht|verwirrend|hä
        komisch|seltsam|nicht beantwortet|wovon redest
        qu'est-ce que tu racontes|de quoi tu parles|n'a aucun sens|aucun sens|pas de sens|comprends pas|bizarre|étrange
        c'est quoi ce|pas répondu|tu veux dire quoi
        qué quieres decir|de qué hablas|no tiene sentido|ningún sentido|no entiendo|confuso|qué es esto|raro
        no respondiste
        o que quer dizer|do que está falando|não faz sentido|nenhum sentido|não entendi|não percebo|estranho|que é isso
        não respondeu|de que estás a falar
    """,
    "is annoyed": """
        wtf|wth|what the hell|what the|dude|come on|ugh|seriously|damn|stupid|dumb|terrible|awful|horrible|ridiculous
        really bad|lazy|for the last time|sigh|argh|yikes|gross|ugly|sucks|bad|worse|nonsense|rubbish|garbage|useless
        mann|verdammt|ernsthaft|schrecklich|furchtbar|mist|blödsinn|schlecht|schlechter|echt jetzt|was zum
        putain|sérieusement|sérieux|nul|nulle|horrible|catastrophe|merde|franchement|pire|moche
        en serio|maldita|horrible|fatal|desastre|joder|pésimo|peor|qué demonios|vaya
        sério|a sério|droga|horrível|péssimo|péssima|desastre|caramba|pior|que raio|poxa
    """,
    "asks why it was done": """
        why did you|why is it|why is|why are|why do we|why do you|why does|why would|why have|why not|why was|why were
        why on earth|why the|how come|did you even|did you really
        warum hast du|warum ist|warum sind|warum wird|wieso|weshalb|warum steht|warum machst
        pourquoi tu|pourquoi as-tu|pourquoi est-ce|pourquoi avez|pourquoi c'est|pourquoi ce|pourquoi le|pourquoi la
        por qué has|por qué está|por qué hiciste|por qué sigue|por qué cambiaste|por qué no|por qué el|por qué la
        por que você|por que está|por que fez|porque é que|por que mudou|por que ainda|por que não|porque mudaste
    """,
    "repairs what was asked": """
        sorry|oops|my mistake|my bad|i misspoke|i should have|let me rephrase|wait|hold on|actually|i miscounted
        scratch that
        never mind|nevermind|correction|whoops
        entschuldigung|sorry|ups|moment|warte|ich meinte|korrektur|vielmehr
        pardon|désolé|désolée|oups|attends|attendez|en fait|je voulais dire
        perdón|perdona|lo siento|espera|en realidad|quería decir|corrección
        desculpa|desculpe|espera|espere|na verdade|quis dizer|opa|correção
    """,
    "hesitates": """
        hmm|hmmm|hm|uh|uhh|uhhh|um|erm|err|eh|mmm|well|uuh
        hm|tja|naja|äh
        euh|ben|bof
        mmm|pues|bueno
        hum|bem|pois
    """,
    "prefers": """
        i want|i'd like|i would like|i prefer|i'd prefer|we want|please use|please prefer|please always|i don't want
        i don't like|don't like|we don't want|don't want|would prefer|i'd rather|not interested|use the
        ich will|ich möchte|ich hätte|bevorzuge|bitte verwende|bitte nutze|bitte benutze|will ich nicht
        gefällt mir nicht
        mag ich nicht|wir wollen
        je veux|je préfère|j'aimerais|on veut|je ne veux pas|utilise|utilisez|je n'aime pas|on ne veut pas|veux pas
        quiero|prefiero|me gustaría|queremos|no quiero|usa|utiliza|no me gusta|no queremos
        quero|prefiro|gostaria|queremos|não quero|usa|use|utilize|não gosto|não gostei|não queremos
    """,
    "states a rule": """
        always|from now on|in the future|every time|as a rule|our convention|convention|the correct|the right way
        the right answer|the correct answer|we use|we never|we always|in this project|in this repo|style guide
        immer|ab jetzt|in zukunft|künftig|grundsätzlich|die richtige|wir verwenden|wir benutzen|in diesem projekt
        toujours|à partir de maintenant|désormais|à l'avenir|la bonne|on utilise|dans ce projet|la convention
        siempre|a partir de ahora|de ahora en adelante|en el futuro|lo correcto|usamos|en este proyecto
        la forma correcta
        sempre|a partir de agora|daqui em diante|no futuro|o correto|o certo|usamos|neste projeto|a forma correta
    """,
    "says it is close": """
        close|almost|nearly|not quite|not exactly|getting there|better but|good but|otherwise
        fast|beinahe|nicht ganz|knapp
        presque|pas tout à fait|pas exactement
        casi|no del todo|no exactamente
        quase|não exatamente|não bem
    """,
    "thanks": """
        thanks|thank you|thx|ty|cheers|appreciate|no problem|no worries
        danke|vielen dank|dankeschön|besten dank|kein problem
        merci|merci beaucoup|pas de problème|pas de souci
        gracias|muchas gracias|mil gracias|sin problema|no hay problema
        obrigado|obrigada|valeu|agradeço|sem problema
    """,
    "praises": """
        great|perfect|nice|awesome|cool|excellent|good|love it|lovely|exactly|beautiful|well done|brilliant
        wonderful|yay
        amazing|good job|nice work|looks good|lgtm|works|worked|works now|fine|is fine|correct|that's right|right
        sounds good
        super|perfekt|toll|klasse|prima|sehr gut|sieht gut aus|genau|passt|wunderbar|funktioniert jetzt
        ausgezeichnet|stimmt
        parfait|génial|super|excellent|très bien|nickel|impeccable|bravo|ça marche|c'est bon|top|exactement|magnifique
        perfecto|genial|excelente|muy bien|estupendo|buen trabajo|funciona bien|exacto|correcto|fenomenal|ya funciona
        perfeito|ótimo|ótima|excelente|muito bom|muito bem|boa|legal|funcionou|exato|certo|correto|fixe|show|ficou bom
    """,
    "agrees": """
        yes|yeah|yep|yup|yea|ok|okay|k|sure|mmk|mmmk|go ahead|proceed|continue|do it|please do|agreed|got it|go for it
        of course|sounds good|ship it|go on|alright|understood|makes sense|i see
        ja|jo|jawohl|klar|gerne|mach weiter|weiter|in ordnung|einverstanden|los|mach das|verstanden|alles klar|okay
        oui|ouais|d'accord|vas-y|allez-y|continue|bien sûr|ok|entendu|compris|ça me va
        sí|si|vale|claro|adelante|sigue|continúa|de acuerdo|por supuesto|entendido|hazlo|dale
        sim|claro|pode|pode ser|continue|continua|vai em frente|avança|de acordo|entendi|com certeza|tá|está bem|beleza
    """,
    "goes on to something new": """
        next|now|let's|lets|can you|could you|also|one more thing|another|new task|then|move on|moving on|add a|add an
        create|write|build|implement|address|run the|show me|tell me|explain|what about|how about|take a look|look at
        check the|consider|before that|after that|finally|lastly|for the next|start with
        als nächstes|jetzt|nun|kannst du|könntest du|noch etwas|außerdem|erstelle|schreibe|füge|erkläre|zeig mir
        bitte füge
        dann|danach|schau dir|was ist mit
        maintenant|ensuite|peux-tu|pouvez-vous|tu peux|aussi|autre chose|ajoute|ajoutez|crée|créez|écris|explique|montre
        passons|puis|après|regarde
        ahora|luego|puedes|podrías|también|otra cosa|añade|agrega|crea|escribe|explica|muéstrame|siguiente|después
        pasemos|vamos a
        agora|depois|pode|podes|poderia|também|outra coisa|adiciona|adicione|crie|cria|escreve|escreva|explica|explique
        mostra|próximo|a seguir|vamos
    """,
    "asks": """
        what|how|which|who|when|where|is there|are there|do you|does it|can i|could i|is it|should i|should we|what if
        what's the|how do|how does|what do you think|where do
        was|wie|welche|welcher|wer|wann|gibt es|kann ich|soll ich|was ist|wie kann
        comment|quel|quelle|quels|qui|quand|est-ce que|y a-t-il|combien|qu'est-ce que|que signifie
        qué|cómo|cuál|cuáles|quién|cuándo|hay|cuánto|puedo|qué es
        como|qual|quais|quem|quando|há|existe|quanto|posso|o que é|tem como
    """,
    "chooses": """
        option|the first|the second|first one|second one|both|only|neither|either|the latter|the former|all of them
        a and b
        leave it|keep it|keep|just
        option|die erste|die zweite|beide|nur|lass es|den zweiten|den ersten|behalte
        l'option|la première|la deuxième|le premier|le deuxième|les deux|seulement|garde
        la opción|la primera|la segunda|el primero|el segundo|ambos|ambas|solo|los dos|déjalo
        a opção|a primeira|a segunda|o primeiro|o segundo|ambos|ambas|só|os dois|deixa
    """,
}

# What an answer says of itself at its end.
CLAIMS: dict[str, str] = {
    "claims to be done": """
        done|fixed|updated|added|moved|removed|all tests pass|tests pass|all clean|now works|implemented|completed
        i've|i have|created|changed|renamed|refactored|here is|here's|finished|resolved|successfully
        erledigt|fertig|habe|hinzugefügt|geändert|behoben|aktualisiert|entfernt|erstellt|umbenannt
        terminé|fait|ajouté|corrigé|modifié|supprimé|créé|renommé|j'ai|voici|mis à jour
        listo|hecho|añadido|agregado|corregido|actualizado|eliminado|creado|he|aquí está|cambiado|añadí
        pronto|feito|adicionei|adicionado|corrigi|corrigido|atualizei|removi|criei|aqui está|alterei|mudei
    """,
    "asks for leave": """
        want me to|would you like|shall i|should i|do you want|say the word|let me know|if you'd like|which would you
        which do you|what do you think|like this|like that|is that right|is this|how is|does that|anything else
        can i help|how about|would you prefer|give the go|give the word|okay to
        soll ich|möchtest du|willst du|welche|sag bescheid|was meinst du|passt das
        veux-tu|voulez-vous|souhaitez-vous|dois-je|préfères-tu|tu veux|est-ce que
        quieres|quiere|te gustaría|debo|prefieres|cuál|lo hago
        quer que|queres que|você quer|gostaria|devo|prefere|qual|posso
    """,
    "is about to act": """
        let me|i'll|i will|now i|now let|next i|going to|i'm going|let's
        lass mich|ich werde|jetzt werde|als nächstes
        je vais|laisse-moi|laissez-moi|maintenant je
        voy a|déjame|ahora voy
        vou|deixa-me|deixe-me|agora vou
    """,
    "was unable": """
        unable|couldn't|could not|cannot|can't|sorry|error|failed|not available|no response|don't know|apologize
        apologies
        leider|konnte nicht|kann nicht|entschuldigung|désolé|impossible|lo siento|no pude|não consegui|desculpe
    """,
}
