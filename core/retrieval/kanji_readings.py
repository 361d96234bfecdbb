"""How Korean reads kanji: words that both languages took from Chinese, 発電 and 발전, become one."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

_UNKNOWN = "·"

# The reading, then the kanji that have it, in the forms that Japanese writes today.
_TABLE = """
가 可加価仮家歌架暇街稼|각 各角覚閣刻却脚格|간 間簡刊干看幹肝|갈 渇|감 減監感甘鑑|갑 甲|강 強講鋼江降康|개 開改個介箇概|객 客|갱 坑|거 去拠距巨挙居|건 件建健乾
걸 傑|검 検剣|격 格激撃隔|견 見堅絹肩遣犬|결 決結欠潔|겸 兼謙|경 経景軽警境京競敬傾慶鏡耕|계 計界階係季契械系継戒|고 高古告庫固故雇考顧苦孤|곡 曲穀谷|곤 困|골 骨|공 工公共供空功攻恐貢|과 果課過科菓誇
곽 郭|관 関管官観館慣寛貫|괄 括|광 広光鉱|괘 掛|괴 塊壊|교 教校交較橋郊巧|구 九口区旧求救究構球購具句久拘欧|국 国局|군 軍群郡君|굴 屈掘|궁 宮弓|권 権券巻勧圏|궤 軌|귀 帰貴|규 規|균 均菌|극 極劇|근 近勤根筋|금 金禁今
급 給級急及|긍 肯|기 期機基記企気起器技寄己旗既汽奇棄|긴 緊|길 吉|나 那|난 難暖|남 南男|납 納|낭 娘|내 内耐|녀 女|년 年|념 念|녕 寧|노 怒|농 農濃|뇌 脳悩|능 能|다 多茶|단 単段断団短端壇|달 達|담 担談|답 答踏|당 当党堂糖
대 大代対待隊帯貸台|덕 徳|도 度道図都到導島途逃倒渡盗|독 独読毒督|돈 頓|돌 突|동 動同東冬洞銅働童|두 頭豆|득 得|등 等登灯|라 羅|락 落絡楽|란 乱卵欄|람 覧|랑 浪郎|래 来|랭 冷|략 略|량 量両良|려 旅麗|력 力歴暦|련 練連鎖恋|렬 列裂烈
렴 廉|령 令領齢霊|례 例礼|로 路老労炉|록 録緑|론 論|롱 弄|뢰 頼雷|료 料療了|룡 竜|루 累漏涙楼|류 流類留|륙 陸六|륜 輪倫|률 律率|륭 隆|릉 陵|리 理利里離履裏|린 隣|림 林臨|립 立粒|마 馬摩磨|막 幕膜|만 万満晩慢|말 末|망 望網忘亡|매 売買毎枚妹埋|맥 脈麦
맹 盟|면 面免綿|멸 滅|명 名明命銘|모 模母募毛帽|목 目木牧|몰 没|몽 夢|묘 墓妙|무 務無武貿|묵 黙|문 文門問聞|물 物|미 未米美味微|민 民敏|밀 密|박 博薄泊|반 反半般返班搬盤|발 発髪|방 方防放訪房妨|배 配倍背排敗杯|백 白百|번 番翻|벌 罰伐|범 範犯凡|법 法|벽 壁
변 変辺弁|별 別|병 病並兵|보 保報補歩宝普譜|복 復複福服腹|본 本|봉 封峰|부 部府負付婦不富副附符|북 北|분 分紛粉奮|불 仏払|붕 崩|비 比費備非飛批肥秘悲|빈 貧頻|빙 氷|사 社事使査四死史司思写士私師寺捨賜謝詐|삭 削|산 産算山散|살 殺|삼 三森|상 上商常相象想状傷賞償床像
새 璽|색 色索|생 生|서 書序署西庶|석 石席析夕|선 線選先船宣善鮮|설 設説雪|섬 繊|섭 渉|성 成性星声省城盛誠|세 税世細勢洗歳|소 所小少消素笑焼訴騒|속 速続属束|손 損孫|송 送訟|쇄 刷鎖|쇠 衰|수 数手水修収受輸守首授需寿樹秀|숙 宿熟|순 順純|술 術|숭 崇|습 習湿|승 勝昇承乗
시 時市示試始施視是|식 式食識植|신 新信申身神親臣|실 実室失|심 心深審|십 十|씨 氏|아 児|악 悪楽|안 安案眼|알 謁|암 暗岩|압 圧押|앙 央|애 愛|액 額液|야 夜野|약 約薬弱|양 様陽養洋羊|어 語魚漁|억 億|언 言|엄 厳|업 業|여 余与|역 役域駅逆訳|연 演研延然煙沿縁|열 熱|염 塩炎
엽 葉|영 営英映永影栄|예 予預芸|오 五誤汚|옥 屋|온 温|완 完緩|왕 王往|외 外|요 要曜揺腰|욕 浴欲|용 用容溶|우 右友雨優郵|운 運雲|웅 雄|원 円員原元院園援源願|월 月|위 位委違危為衛囲偽|유 有油由遊維遺幼|육 育肉|윤 潤|은 銀恩|음 音飲|응 応|의 意医議義衣依疑儀
이 二移以異易耳|익 益|인 人因引印認|일 日一|임 任賃|입 入|자 資者自子字姿|작 作昨|잔 残|잠 潜暫|잡 雑|장 長場装章蔵張障将帳|재 再在財材災裁載|쟁 争|저 低貯底著|적 的積適績籍敵赤|전 電全前展転伝戦専|절 切節絶折|점 点店占|접 接|정 定正情整政程精停庭訂|제 制題製第済提除際祭|조 調条組造助早照祖租操
족 族足|존 存尊|졸 卒|종 種終従|좌 座左|죄 罪|주 主住注週周株酒|준 準|중 中重衆|즉 即|증 増証症|지 地指持紙支止知誌志|직 職直織|진 進真診震陣|질 質疾|집 集執|징 徴|차 車次差借|착 着|찬 賛|찰 察札|참 参|창 創窓倉|채 採債菜|책 責策|처 処|척 尺|천 天千川|철 鉄撤|첨 添
청 請清聴青庁|체 体替逮|초 初超秒草|촉 触促|촌 村|총 総銃|최 最催|추 推追秋|축 築縮蓄|춘 春|출 出|충 充衝虫|취 取就趣|측 測側|층 層|치 置値治歯|칙 則|친 親|칠 七|침 侵|칭 称|쾌 快|타 打他|탁 託|탄 炭弾|탈 脱|탐 探|탑 塔|태 太態|택 宅択|토 土討|통 通統痛|퇴 退|투 投透闘
특 特|파 波破派|판 判版板販|팔 八|패 敗|편 便編片|평 平評|폐 閉廃弊|포 包布|폭 幅爆|표 表票標|품 品|풍 風豊|피 皮被疲避|필 必筆|하 下夏河荷|학 学|한 限韓漢寒|할 割|함 含|합 合|항 港航項|해 海解害該|핵 核|행 行幸|향 向香|허 許虚|헌 憲献|험 験険|혁 革|현 現県|혈 血
협 協|형 形型刑|혜 恵|호 号戸護好|혹 惑|혼 婚混|홍 紅|화 化火話画花貨和|확 確拡|환 環換|활 活|황 況黄|회 会回|획 画獲|횡 横|효 効|후 後候|훈 訓|휘 揮|휴 休|흉 胸|흑 黒|흡 吸|흥 興|희 希喜
"""
_READINGS: dict[str, str] = {}
for _line in _TABLE.replace("|", "\n").strip().splitlines():
    _reading, _, _kanji = _line.partition(" ")
    for _character in _kanji:
        _READINGS.setdefault(_character, _reading)

_FIRST, _VOWELS, _FINALS = 0xAC00, 21, 28
_N, _R, _SILENT = 2, 5, 11
# ㅑ ㅕ ㅖ ㅛ ㅠ ㅣ: before them a word does not begin with ㄴ or ㄹ.
_SOFT = frozenset((2, 6, 7, 12, 17, 20))


def _as_first(syllable: str) -> str:
    """The syllable as a Korean word begins with it: 력 is 역, 로 is 노, 녀 is 여."""
    code = ord(syllable) - _FIRST
    initial, rest = divmod(code, _VOWELS * _FINALS)
    if initial not in (_N, _R):
        return syllable
    vowel = rest // _FINALS
    if vowel in _SOFT:
        return chr(_FIRST + _SILENT * _VOWELS * _FINALS + rest)
    return chr(_FIRST + _N * _VOWELS * _FINALS + rest)


SYLLABLES = frozenset(map(_as_first, _READINGS.values())) | frozenset(_READINGS.values())


@lru_cache(maxsize=10_000)
def read_as_korean(run: str) -> str:
    """A run of kanji in Hangul, `·` for a kanji whose reading is not known."""
    syllables = [_READINGS.get(character, _UNKNOWN) for character in run]
    if syllables and syllables[0] != _UNKNOWN:
        syllables[0] = _as_first(syllables[0])
    return "".join(syllables)


@lru_cache(maxsize=10_000)
def korean_pairs(run: str) -> Sequence[str]:
    """The pairs of syllables in which a run of kanji is read; also as a word within it begins, 이용 in 設備利用."""
    text = read_as_korean(run)
    pairs: dict[str, None] = {}
    for first, second in pairwise(text):
        if _UNKNOWN not in (first, second):
            pairs[first + second] = None
            pairs[_as_first(first) + second] = None
    return tuple(pairs)
