# ruff: noqa: RUF001 -- lists of words of many scripts read better as text.
"""What tells languages of one script apart: frequent words, letters and endings.

The words are those that hold any text together, written down for this purpose.
"""

from __future__ import annotations

from collections.abc import Mapping

WORDS: Mapping[str, Mapping[str, str]] = {
    "Latin": {
        "en": "the of and to in is was that it for on are with as his they be at one have this from or had by but "
        "not what all were we when your can said there use an each which she do how their if will up other about out "
        "many then them these so some her would him has more no my than been who its did get may you he i a me our "
        "us also because into only just don't it's i'm that's can't where why should could very any here most must "
        "never yes know please make made good new year nobody",
        "es": "de la que el en y a los se del las un por con no una su para es al lo como más pero sus le ya o este "
        "sí porque esta entre cuando muy sin sobre también me hasta hay donde quien desde todo nos durante todos uno "
        "les ni contra otros ese eso ante ellos e esto antes algunos qué unos yo otro otras él tanto esa estos mucho "
        "nada muchos cual ella estar estas son está han fue era ser tiene puede hoy usted tú tu mi gracias cada así "
        "aquí soy eres somos tengo después siempre nunca ahora cómo cuándo dónde favor quiero nuestra nuestro año",
        "fr": "de la le et les des en un du une que est pour qui dans a par plus pas au sur ne se ce il sont avec "
        "son ont aux d' l' qu' j' c' n' s' m' t' cette mais comme ou si leur y tout nous sa fait été aussi leurs "
        "bien peut ces vous je tu elle ils elles on mon ma mes votre vos nos notre sans sous être avoir très même "
        "quand où donc car ai suis es sommes êtes avez avons était merci bonjour chaque entre après avant encore "
        "toujours jamais rien à faire il y voudrais veux personne pourquoi plaît",
        "de": "der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an werden "
        "aus er hat dass sie nach wird bei einer um am sind noch wie einem über einen so zum war haben nur oder aber "
        "vor zur bis mehr durch man sein wurde sei ich du wir ihr mich dich mir dir uns euch mein dein unser kein "
        "keine wenn weil was wer wo hier heute immer sehr schon kann können muss diese dieser dieses jeder alle gibt "
        "habe bin bist danke meine deine seine ihre",
        "it": "di e il la che in a per è un del le con non i una da sono si al dei nel alla più della delle come ha "
        "anche ma lo gli su o se ci dal sua suo loro questo questa io tu noi voi lui lei mi ti vi ed mio mia quando "
        "dove chi cosa molto tutto tutti essere avere hanno ho hai era stato stata perché così già ancora sempre mai "
        "senza tra fra dopo prima sulla nella dell' all' nell' dall' sull' l' un' c' d' quest' degli agli negli ogni "
        "oggi grazie ciao può sei siamo nostro nostra vorrei voglio nessuno anno",
        "pt": "de a o que e do da em um para com não uma os no se na por mais as dos como mas foi ao ele das tem à "
        "seu sua ou ser quando muito há nos já está eu também só pelo pela até isso ela entre era depois sem mesmo "
        "aos seus quem nas me esse eles estão você tinha foram essa num nem suas meu minha às têm numa pelos elas "
        "havia seja qual nós lhe deles este esta são hoje cada onde então ainda sempre nunca obrigado é fazer posso "
        "pode vai sobre favor quero ninguém nossa nosso ano",
        "nl": "de het een en van in is dat op te zijn met voor niet aan er om ook als dan maar bij of uit nog naar "
        "door over ze hij je ik wij we zij u heeft hebben had was werd worden wordt kan kunnen moet zal zou deze dit "
        "die geen wel zo al meer veel waar wat wie hoe mijn jouw ons onze hun haar hem mij jij jullie tot tegen "
        "tussen toen want omdat alleen altijd heel goed vandaag elke iedereen",
        "sv": "och att det i en jag som är på för med av inte den till har de om ett men var han så kan från när hon "
        "vi ska du eller mig skulle sig vad hade också efter där bara sin nu ut mycket över här än alla man din min "
        "dig blir vara måste ingen någon något kommer utan upp dem oss er finns mellan varje idag gör då vill sedan "
        "hur varför ja nej tack bra många",
        "da": "og at det i en jeg som er på for med af ikke den til har de om et men var han så kan fra når hun vi "
        "skal du eller mig ville sig hvad havde også efter hvor kun sin nu ud meget over her end alle man din min "
        "dig bliver være må ingen nogen noget kommer uden op dem os jer findes mellem hver dag gør da vil siden "
        "hvordan hvorfor ja nej tak god mange blev jo lige selv hvis fordi mod under samt dette denne disse",
        "no": "og at det i en jeg som er på for med av ikke den til har de om et men var han så kan fra når hun vi "
        "skal du eller meg skulle seg hva hadde også etter hvor bare sin nå ut mye over her enn alle man din min deg "
        "blir være må ingen noen noe kommer uten opp dem oss dere finnes mellom hver dag gjør da vil siden hvordan "
        "hvorfor ja nei takk god mange ble selv hvis fordi mot under samt dette denne disse å veldig",
        "fi": "ja on ei se että oli hän mutta ovat joka kun niin myös kuin sen hänen mitä jos ole minä sinä me te he "
        "tämä tässä tai vain siitä sitä nyt jo ollut olla voi sekä mukaan vielä koska kaikki jotka mikä miten missä "
        "siellä täällä hyvin paljon minun sinun meidän heidän tämän joita kanssa ennen jälkeen aina ilman en et olen "
        "olet olemme emme eivät kuka miksi koko usein sitten kuitenkin kiitos hyvä hyvää tänään olisi pitää",
        "pl": "i w na z się nie do to że jest o jak ale po co tak za od jego jej ich przez był była było być dla ma "
        "już tylko przy może by czy są oraz jako które który która ten ta te tego tym tej mnie mi ja ty my wy on ona "
        "oni go ze we bardzo gdy kiedy gdzie bo więc także też nas was nam sobie jeszcze zawsze wszystko każdy dziś "
        "dzisiaj mam masz mamy dziękuję aby żeby nad pod między bez",
        "cs": "a se v na je že to s z do o i za si ale jsem jsou by byl byla bylo být jako jak co tak pro po ve od k "
        "ke ze který která které při už jen když nebo jeho její jejich není jsme jste má mám máme mít aby také tento "
        "tato toto ten ta ho mu mi mě my vy oni já ty on ona kde kdy proč protože velmi více může můžete však mezi "
        "bez ještě vždy všechno každý dnes děkuji nás vás svůj své",
        "tr": "ve bir bu da de için ile çok ne gibi daha olarak o ama en var kadar olan sonra ben sen biz siz onlar "
        "her mi mı mu mü değil ya ki şey bana sana ona bize şu yok veya ise hem nasıl neden çünkü kendi bunu onun "
        "benim senin bizim böyle şimdi iyi zaman olduğu olduğunu oldu oluyor vardır edilir bütün tüm ancak hiç yani "
        "arasında göre bugün olur olmak etmek önce içinde üzerinde",
        "vi": "và của là có không được cho một những người trong các với để này đã khi đó như tôi bạn anh chị em họ "
        "chúng ta ở đến từ cũng về ra vào nhiều rất phải sẽ đang thì mà nếu hay hoặc vì nên làm gì ai đâu nào thế "
        "lại còn chỉ trên dưới sau trước bằng hơn mình ông bà cô nó đây nhưng đi ngày hôm nay mọi hãy",
        "id": "yang dan di ini itu dengan untuk dari dalam tidak pada adalah akan ke juga oleh ada saya kamu anda "
        "dia kami kita mereka atau bisa dapat karena seperti sudah telah lebih bahwa hanya jika saat para tersebut "
        "sebagai banyak satu orang hari harus lagi masih sangat apa siapa bagaimana kapan mengapa tetapi namun agar "
        "setelah sebelum antara belum bukan jangan semua setiap bagi secara menjadi selalu aku tanpa",
        "sw": "na ya wa kwa ni katika la za cha vya hii huo hiyo hizo huyu hao kama lakini pia kuwa si au ili hata "
        "sana tu moja wao yeye mimi wewe sisi nyinyi wangu wako wake wetu yake yangu yako yetu zake watu mtu kila "
        "baada kabla bila kuhusu hivyo kwamba ambayo ambao ambaye alikuwa ilikuwa walikuwa ana ina wana una tuna "
        "nina hakuna kuna leo sasa wakati siku hapa gani nini nani wapi vile hasa zaidi ndiyo hapana asante kutoka "
        "hadi huu kwenye juu",
        "ro": "și de a în la cu pe un o nu că este din pentru mai se care sunt ce am ai au să fi ca sau dar al ale "
        "lui ei lor el ea noi voi eu tu mă te îmi îți își acest această aceasta acesta acești aceste prin după când "
        "unde cum foarte fost era fie dacă doar tot toate toți fără între până despre astfel iar nici însă meu mea "
        "tău sa său azi astăzi fiecare mulțumesc bine vă rog vreau noastră nostru nimeni an fac",
        "hu": "a az és hogy nem is egy ez meg csak van de volt már ha mint el még akkor azt most nagyon ki én te ő "
        "mi ti ők minden lesz vagy mert itt ott ezt ami aki amely sem volna lehet kell legyen nincs jó úgy így több "
        "után előtt alatt között nélkül nekem neked neki mit mikor hol miért hogyan ezek azok saját vannak voltak "
        "fel be le ma mindig sok köszönöm szép vagyok kérem nálunk hova ezért senki",
    },
    "Cyrillic": {
        "ru": "и в не на я что он с как это но они мы она так его все а по из у же за бы от то меня мне ты вы был "
        "была было были для если уже или ее её нет еще ещё к до очень когда чтобы только может этот эта эти того "
        "который которая которые при без есть можно нужно их вас нас где почему потому под о об также со ли во себя "
        "сегодня каждый день после между",
        "uk": "і в не на я що він з як це але вони ми вона так його все а по із у ж за б від то мене мені ти ви був "
        "була було були для якщо вже або її немає ще к до дуже коли щоб тільки може цей ця ці того який яка які при "
        "без є можна потрібно їх вас нас де чому тому під про також та й зі себе бути має навіть сьогодні кожен день "
        "після між",
        "bg": "и в не на аз че той с как това но те ние тя така го всички а по из у за би от то мен ми ти вие беше "
        "бяха бил била е са да се ще към до много когато само може този тази тези който която които при без има "
        "трябва им ги вас нас където защо под със ли във си съм сме сте като или ако още няма тук ден след между "
        "всеки обаче бъде днес искам моля къде никой защото",
    },
    "Arabic": {
        "ar": "في من على إلى أن هذا هذه التي الذي ما لا كان كانت هو هي عن مع كل بعد قبل بين أو ثم قد لم لن إن كما "
        "أنا نحن أنت هم ذلك تلك عند حتى غير بعض حيث وقد ولا وهو وهي يمكن يكون لكن لأن أي منذ خلال جدا اليوم و أين "
        "لماذا فضلك أحد الآن جديد العام",
        "fa": "و در به از که این را با است برای آن یک خود تا کرد بر هم نیز می شود بود شد ما من تو او شما آنها ها های "
        "اگر اما یا هر چه هستند باید دارد کند کنید هست نیست بسیار خیلی همه پس دیگر روی بین چون امروز وقتی",
        "ur": "کے میں کی ہے اور سے کا کو اس کہ ہیں نے پر یہ وہ بھی ایک ہو تھا تھی تھے جو کر نہیں تو ہی گیا گئی کیا "
        "لیے ہم آپ میرا میری ان کچھ بہت جب تک ساتھ بعد رہا رہے رہی ہوتا ہوتی ہوں اگر مگر لیکن والے آج",
    },
    "Devanagari": {
        "hi": "के में की है और से का को कि हैं ने पर यह वह भी एक हो था थी थे जो कर नहीं तो ही इस उस लिए हम आप मैं "
        "मेरा मेरी तुम वे कुछ बहुत जब तक साथ बाद रहा रहे रही होता होती हूँ हूं अगर लेकिन या गया सकते अपने आज कभी हर "
        "मुझे चाहिए कहाँ किसी क्यों आपका हमारी हमारा",
        "mr": "आणि आहे आहेत हे ही हा तो ती ते या मध्ये साठी नाही व की पण तर मी आम्ही तुम्ही आपण त्या त्याच्या "
        "त्यांच्या होते होता होती केले करून झाले एक असे असा आपल्या खूप काय का कसे मला तुम्हाला त्यांना यांनी "
        "करण्यासाठी म्हणून किंवा सर्व आज जे जर असतो असते माझ्या माझे येथे नव्हते आमची माझी तुझी कुठे",
        "ne": "छ र को मा ले हो यो त्यो पनि गर्न भएको गरेको हुन्छ छन् थियो थिए म हामी तपाईं तिमी उनी उनले उनको लागि "
        "संग सँग बाट भने तर एक धेरै गर्ने हुने रहेको कि छैन के किन कहाँ कसरी सबै हरेक मेरो तिम्रो हाम्रो यस त्यस "
        "गर्छ गर्छन् आज अनि वा पर्छ जब भन्ने मलाई चाहियो थाहा कसैलाई",
    },
}
"""Frequent words of each language, by script. A word with an apostrophe at its end is followed by another one."""

LETTERS: Mapping[str, str] = {
    "es": "ñ¿¡áéíóú",
    "fr": "çœàâèêëéîïôùûÿ",
    "de": "ßäöü",
    "it": "àèéìòù",
    "pt": "ãõçáâàéêíóôú",
    "nl": "ëï",
    "sv": "åäö",
    "da": "æøå",
    "no": "æøå",
    "fi": "äö",
    "pl": "ąćęłńóśźż",
    "cs": "ěščřžýáíéúůťďň",
    "tr": "ğışçöü",
    "vi": "ăâđêôơưàáảãạầấẩẫậằắẳẵặèéẻẽẹềếểễệìíỉĩịòóỏõọồốổỗộờớởỡợùúủũụừứửữựỳýỷỹỵ",
    "ro": "ăâîșțşţ",
    "hu": "áéíóöőúüű",
    "ru": "ыэёъ",
    "uk": "іїєґ",
    "bg": "ъ",
    "ar": "يكةىإأؤئ",
    "fa": "یکپچگژ",
    "ur": "یکپچگژٹڈڑےںھہ",
    "mr": "ळ",
}
"""Letters that the others of its script lack, but for those named with it."""

ENDINGS: Mapping[str, str] = {
    "en": "ing tion ness ful",
    "es": "ción mente ado idad",
    "fr": "eux ement aient eau",
    "de": "ung keit lich schaft chen",
    "it": "zione mente ato ità",
    "pt": "ção mente ado dade",
    "nl": "heid lijk ijk tje",
    "sv": "arna orna ningen igt",
    "da": "erne ningen lig else",
    "no": "ene ningen lig else",
    "fi": "ssa ssä lla llä sta stä mme nen ksi",
    "pl": "ość ego ych ami emy",
    "cs": "ost ého ých ami eme",
    "tr": "lar ler ları leri mak mek yor dır dir yoruz",
    "id": "nya kan",
    "sw": "aji isha",
    "ro": "ului ilor ție ească",
    "hu": "nak nek ban ben ság ség unk ünk",
    "ru": "ого ться ение ешь ает",
    "uk": "ння ться ість ого",
    "bg": "ът ите ата ето ват",
    "hi": "ों ियों ता",
    "mr": "च्या ांनी ासाठी तो ते",
    "ne": "हरू हरु लाई को मा ले",
}
"""Endings of longer words that are frequent in a language."""
