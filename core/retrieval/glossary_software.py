"""The general glossary: words of software and data work."""

# A concept a line, as in core.retrieval.glossary_terms.
SOFTWARE = """
environment | environment | 개발 환경, 운영 환경, 실행 환경 | 開発環境, 本番環境, 実行環境
service_status | service status, uptime, health check, up and running | 가동 상태, 서비스 상태, 가동 여부 | 稼働状況, 稼働状態, 死活監視
system | system | 시스템 | システム
feature_flag | feature flag, feature toggle | 기능 플래그 | フィーチャーフラグ, 機能フラグ
performance | performance, latency, throughput, slow | 성능, 응답 속도, 느린, 느려 | 性能, レイテンシ, 処理速度
memory | memory usage, ram, cpu, memory | 메모리 | メモリ, メモリー
storage | disk, storage, disk space | 디스크, 스토리지, 저장 공간 | ディスク, ストレージ, 空き容量
network | network, ip address, vpn, firewall | 네트워크, 방화벽 | ネットワーク, ファイアウォール
domain | domain, dns, domain name | 도메인 | ドメイン
tls_certificate | ssl certificate, tls certificate | 인증서 | サーバー証明書, 電子証明書
cluster | cluster, kubernetes, docker | 클러스터, 쿠버네티스 | クラスタ, クラスター
queue | queue, message queue | 대기열, 메시지 큐 | 待ち行列, メッセージキュー
session | session | 세션 | セッション
plugin | plugin, add on | 플러그인, 확장 기능 | プラグイン, 拡張機能
source_code | source code, code snippet | 소스 코드, 소스코드 | ソースコード
test | test, unit test, test case | 테스트 | テスト
script | script, command, shell command | 스크립트, 명령어 | スクリプト, コマンド
code_review | code review, review a pull request | 코드 리뷰, 리뷰 요청 | コードレビュー, レビュー依頼
discussion | discussion, thread, conversation | 토론, 스레드 | 議論, スレッド, ディスカッション
dataset | dataset, data set | 데이터셋, 데이터 세트, 데이터 집합 | データセット
ml_model | machine learning, ml model, model training | 머신러닝, 기계 학습, 기계학습 | 機械学習, 学習モデル
chatbot | prompt, llm, chatbot, ai assistant | 프롬프트, 챗봇, 인공지능 | プロンプト, チャットボット, 人工知能
data_quality | data quality, missing values, duplicate records | 데이터 품질, 결측, 중복 | データ品質, 重複
database_index | index | 인덱스, 색인 | インデックス, 索引
database_key | primary key, foreign key | 기본 키, 외래 키, 기본키, 외래키 | 主キー, 外部キー
row_count | row count, number of rows | 행 수, 레코드 수 | 行数, レコード数
migration | migration, migrate | 마이그레이션, 이관 | マイグレーション, データ移行, 移行
timezone | timezone, time zone | 표준 시간대, 타임존 | タイムゾーン
sentiment | sentiment | 감성 분석, 감정 분석 | 感情分析
keyword | keyword | 키워드 | キーワード
form | form, input form | 양식, 서식 | フォーム, 様式, 書式
template | template | 템플릿 | テンプレート, ひな形, 雛形
active_user | active user, dau, mau | 활성 사용자, 활성 이용자 | アクティブユーザー, アクティブ利用者
signup | signup, new signup | 신규 가입, 가입자 | 新規会員, 会員登録, 新規登録者
funnel | funnel | 퍼널 | ファネル
experiment | ab test, experiment | 실험 | 実験
recurring_revenue | mrr, arr, recurring revenue | 반복 매출 | 継続収益, 経常収益
trial | free trial, trial period | 무료 체험, 체험판 | 無料体験, お試し
pricing_plan | pricing plan, rate plan, subscription plan, premium plan, price plan | 요금제, 플랜 | 料金プラン, プラン
portal | portal | 포털 | ポータル
location_gps | gps, gps position | 위성 위치 | 車両位置, 位置情報
unit | unit of measure | 단위 | 単位
size | size | 크기, 사이즈 | サイズ, 大きさ
color | color, colour | 색상 | カラー, 色彩
"""
