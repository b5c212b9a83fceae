BEGIN TRANSACTION;
CREATE TABLE agreements (
	id INTEGER NOT NULL, 
	provider VARCHAR NOT NULL, 
	origin VARCHAR NOT NULL, 
	"where" VARCHAR NOT NULL, 
	edition VARCHAR NOT NULL, 
	troth VARCHAR NOT NULL, 
	contract_hash VARCHAR NOT NULL, 
	scenario VARCHAR NOT NULL, 
	first_run VARCHAR NOT NULL, 
	first_time DOUBLE NOT NULL, 
	last_run VARCHAR NOT NULL, 
	last_time DOUBLE NOT NULL, 
	nights INTEGER NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (provider, origin, "where", edition, troth)
);
INSERT INTO "agreements" VALUES(1,'acmepay','Charge','create_charge.created','a4ee38bd9a9338ec','0.1.0','a5b67562296e39bc','a charge is kept','20261130T2117-rqny-1',1.79607347711634349825e+09,'20261130T2117-oxtd-1',1.79607347722580194468e+09,2);
INSERT INTO "agreements" VALUES(2,'acmepay','Charge.amount','create_charge.created','a4ee38bd9a9338ec','0.1.0','a5b67562296e39bc','a charge is kept','20261130T2117-rqny-1',1.79607347711634349825e+09,'20261130T2117-oxtd-1',1.79607347722580194468e+09,2);
INSERT INTO "agreements" VALUES(3,'acmepay','Charge.client_secret','create_charge.created','a4ee38bd9a9338ec','0.1.0','a5b67562296e39bc','a charge is kept','20261130T2117-rqny-1',1.79607347711634349825e+09,'20261130T2117-bldn-1',1796073477.28259,3);
INSERT INTO "agreements" VALUES(4,'acmepay','Charge.created','create_charge.created','a4ee38bd9a9338ec','0.1.0','a5b67562296e39bc','a charge is kept','20261130T2117-rqny-1',1.79607347711634349825e+09,'20261130T2117-bldn-1',1796073477.28259,3);
INSERT INTO "agreements" VALUES(5,'acmepay','Charge.id','create_charge.created','a4ee38bd9a9338ec','0.1.0','a5b67562296e39bc','a charge is kept','20261130T2117-rqny-1',1.79607347711634349825e+09,'20261130T2117-bldn-1',1796073477.28259,3);
INSERT INTO "agreements" VALUES(6,'acmepay','Charge.pin','create_charge.created','a4ee38bd9a9338ec','0.1.0','a5b67562296e39bc','a charge is kept','20261130T2117-rqny-1',1.79607347711634349825e+09,'20261130T2117-bldn-1',1796073477.28259,3);
INSERT INTO "agreements" VALUES(7,'acmepay','Charge.status','create_charge.created','a4ee38bd9a9338ec','0.1.0','a5b67562296e39bc','a charge is kept','20261130T2117-rqny-1',1.79607347711634349825e+09,'20261130T2117-bldn-1',1796073477.28259,3);
INSERT INTO "agreements" VALUES(8,'acmepay','cancel_charge.canceled','cancel_charge.canceled','1aaf10030835a1a1','0.1.0','a5b67562296e39bc','a charge is kept','20261130T2117-rqny-1',1.79607347711634349825e+09,'20261130T2117-bldn-1',1796073477.28259,3);
INSERT INTO "agreements" VALUES(9,'acmepay','cancel_charge.canceled$','cancel_charge.canceled','1aaf10030835a1a1','0.1.0','a5b67562296e39bc','a charge is kept','20261130T2117-rqny-1',1.79607347711634349825e+09,'20261130T2117-bldn-1',1796073477.28259,3);
INSERT INTO "agreements" VALUES(10,'acmepay','cancel_charge.canceled$.canceled','cancel_charge.canceled','1aaf10030835a1a1','0.1.0','a5b67562296e39bc','a charge is kept','20261130T2117-rqny-1',1.79607347711634349825e+09,'20261130T2117-bldn-1',1796073477.28259,3);
INSERT INTO "agreements" VALUES(11,'acmepay','cancel_charge.canceled$.id','cancel_charge.canceled','1aaf10030835a1a1','0.1.0','a5b67562296e39bc','a charge is kept','20261130T2117-rqny-1',1.79607347711634349825e+09,'20261130T2117-bldn-1',1796073477.28259,3);
INSERT INTO "agreements" VALUES(12,'acmepay','create_charge.created','create_charge.created','a4ee38bd9a9338ec','0.1.0','a5b67562296e39bc','a charge is kept','20261130T2117-rqny-1',1.79607347711634349825e+09,'20261130T2117-bldn-1',1796073477.28259,3);
INSERT INTO "agreements" VALUES(13,'acmepay','create_charge.created$.created','create_charge.created','a4ee38bd9a9338ec','0.1.0','a5b67562296e39bc','a charge is kept','20261130T2117-rqny-1',1.79607347711634349825e+09,'20261130T2117-bldn-1',1796073477.28259,3);
INSERT INTO "agreements" VALUES(14,'acmepay','create_charge.created$.status','create_charge.created','a4ee38bd9a9338ec','0.1.0','a5b67562296e39bc','a charge is kept','20261130T2117-rqny-1',1.79607347711634349825e+09,'20261130T2117-bldn-1',1796073477.28259,3);
INSERT INTO "agreements" VALUES(15,'acmepay','expectations of cancel_charge.canceled in a charge is kept','cancel_charge.canceled','d052d89563d72df7','0.1.0','a5b67562296e39bc','a charge is kept','20261130T2117-rqny-1',1.79607347711634349825e+09,'20261130T2117-bldn-1',1796073477.28259,3);
INSERT INTO "agreements" VALUES(16,'acmepay','expectations of create_charge.created in a charge is kept','create_charge.created','7197749317291402','0.1.0','a5b67562296e39bc','a charge is kept','20261130T2117-rqny-1',1.79607347711634349825e+09,'20261130T2117-bldn-1',1796073477.28259,3);
INSERT INTO "agreements" VALUES(17,'acmepay','reply cancel_charge.canceled in a charge is kept','cancel_charge.canceled','d052d89563d72df7','0.1.0','a5b67562296e39bc','a charge is kept','20261130T2117-rqny-1',1.79607347711634349825e+09,'20261130T2117-bldn-1',1796073477.28259,3);
INSERT INTO "agreements" VALUES(18,'acmepay','reply create_charge.created in a charge is kept','create_charge.created','7197749317291402','0.1.0','a5b67562296e39bc','a charge is kept','20261130T2117-rqny-1',1.79607347711634349825e+09,'20261130T2117-bldn-1',1796073477.28259,3);
CREATE TABLE exchanges (
	id INTEGER NOT NULL, 
	run_id VARCHAR NOT NULL, 
	provider VARCHAR NOT NULL, 
	target VARCHAR NOT NULL, 
	scenario VARCHAR NOT NULL, 
	step INTEGER NOT NULL, 
	operation VARCHAR NOT NULL, 
	method VARCHAR NOT NULL, 
	url VARCHAR NOT NULL, 
	request_headers JSON NOT NULL, 
	request_body VARCHAR NOT NULL, 
	status INTEGER, 
	response_headers JSON NOT NULL, 
	response_body VARCHAR NOT NULL, 
	response_name VARCHAR, 
	error VARCHAR, 
	started DOUBLE NOT NULL, 
	elapsed DOUBLE NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(run_id) REFERENCES runs (run_id) ON DELETE CASCADE
);
INSERT INTO "exchanges" VALUES(1,'20261130T2117-rqny-1','acmepay','simulator','a charge is kept',1,'create_charge','POST','http://simulator/charges','[["Host", "simulator"], ["Connection", "keep-alive"], ["User-Agent", "troth/0.1.0"], ["Accept", "*/*"], ["Accept-Encoding", "identity"], ["Content-Type", "application/json"], ["Authorization", "Bearer [secret:key:7cc273c6]"], ["Content-Length", "15"]]','{"amount":1200}',201,'[["Content-Type", "application/json"], ["Date", "Mon, 30 Nov 2026 21:17:57 GMT"], ["Content-Length", "125"]]','{"id":"ch_unJ3pLdG","amount":1200,"status":"pending","created":1796073477,"client_secret":"[secret:client_secret:424c5a38]","pin":"[secret:pin:fe1595da]"}','created',NULL,1.79607347711775875093e+09,1.07522999996945145539e-03);
INSERT INTO "exchanges" VALUES(2,'20261130T2117-rqny-1','acmepay','simulator','a charge is kept',2,'cancel_charge','DELETE','http://simulator/charges/ch_unJ3pLdG','[["Host", "simulator"], ["Connection", "keep-alive"], ["User-Agent", "troth/0.1.0"], ["Accept", "*/*"], ["Accept-Encoding", "identity"], ["Authorization", "Bearer [secret:key:7cc273c6]"]]','',200,'[["Content-Type", "application/json"], ["Date", "Mon, 30 Nov 2026 21:17:57 GMT"], ["Content-Length", "36"]]','{"id":"ch_unJ3pLdG","canceled":true}','canceled',NULL,1.79607347711971378333e+09,3.94042999914745450951e-04);
INSERT INTO "exchanges" VALUES(3,'20261130T2117-rqny-1','acmepay','sandbox','a charge is kept',1,'create_charge','POST','http://127.0.0.1:38243/charges','[["Host", "127.0.0.1:38243"], ["Connection", "keep-alive"], ["User-Agent", "troth/0.1.0"], ["Accept", "*/*"], ["Accept-Encoding", "identity"], ["Content-Type", "application/json"], ["Authorization", "Bearer [secret:key:7c1dda99]"], ["Content-Length", "15"]]','{"amount":1200}',201,'[["Set-Cookie", "session=[secret:cookie:56d32075]; Path=/"], ["Content-Type", "application/json"], ["Content-Length", "136"]]','{"id": "ch_00000001", "amount": 1200, "status": "pending", "created": 1796073477, "client_secret": "[secret:client_secret:d67a56fa]", "pin": "[secret:pin:62da3446]"}','created',NULL,1.79607347715607976916e+09,1.98383870001634932123e-02);
INSERT INTO "exchanges" VALUES(4,'20261130T2117-rqny-1','acmepay','sandbox','a charge is kept',2,'cancel_charge','DELETE','http://127.0.0.1:38243/charges/ch_00000001','[["Host", "127.0.0.1:38243"], ["Connection", "keep-alive"], ["User-Agent", "troth/0.1.0"], ["Accept", "*/*"], ["Accept-Encoding", "identity"], ["Authorization", "Bearer [secret:key:7c1dda99]"]]','',200,'[["Content-Type", "application/json"], ["Content-Length", "39"]]','{"id": "ch_00000001", "canceled": true}','canceled',NULL,1.7960734771776349544e+09,1.40682100004596577491e-03);
INSERT INTO "exchanges" VALUES(5,'20261130T2117-oxtd-1','acmepay','simulator','a charge is kept',1,'create_charge','POST','http://simulator/charges','[["Host", "simulator"], ["Connection", "keep-alive"], ["User-Agent", "troth/0.1.0"], ["Accept", "*/*"], ["Accept-Encoding", "identity"], ["Content-Type", "application/json"], ["Authorization", "Bearer [secret:key:be288c4f]"], ["Content-Length", "15"]]','{"amount":1200}',201,'[["Content-Type", "application/json"], ["Date", "Mon, 30 Nov 2026 21:17:57 GMT"], ["Content-Length", "125"]]','{"id":"ch_unJ3pLdG","amount":1200,"status":"pending","created":1796073477,"client_secret":"[secret:client_secret:257e59c3]","pin":"[secret:pin:effadc44]"}','created',NULL,1.79607347722697138791e+09,6.61639000099967233836e-04);
INSERT INTO "exchanges" VALUES(6,'20261130T2117-oxtd-1','acmepay','simulator','a charge is kept',2,'cancel_charge','DELETE','http://simulator/charges/ch_unJ3pLdG','[["Host", "simulator"], ["Connection", "keep-alive"], ["User-Agent", "troth/0.1.0"], ["Accept", "*/*"], ["Accept-Encoding", "identity"], ["Authorization", "Bearer [secret:key:be288c4f]"]]','',200,'[["Content-Type", "application/json"], ["Date", "Mon, 30 Nov 2026 21:17:57 GMT"], ["Content-Length", "36"]]','{"id":"ch_unJ3pLdG","canceled":true}','canceled',NULL,1.79607347722822594643e+09,3.12621999910334125161e-04);
INSERT INTO "exchanges" VALUES(7,'20261130T2117-oxtd-1','acmepay','sandbox','a charge is kept',1,'create_charge','POST','http://127.0.0.1:38243/charges','[["Host", "127.0.0.1:38243"], ["Connection", "keep-alive"], ["User-Agent", "troth/0.1.0"], ["Accept", "*/*"], ["Accept-Encoding", "identity"], ["Content-Type", "application/json"], ["Authorization", "Bearer [secret:key:0d81c20b]"], ["Content-Length", "15"]]','{"amount":1200}',201,'[["Set-Cookie", "session=[secret:cookie:257d8fc9]; Path=/"], ["Content-Type", "application/json"], ["Content-Length", "136"]]','{"id": "ch_00000002", "amount": 1200, "status": "pending", "created": 1796073477, "client_secret": "[secret:client_secret:ade1436b]", "pin": "[secret:pin:fc256703]"}','created',NULL,1.79607347725044655794e+09,3.13981400017837586347e-03);
INSERT INTO "exchanges" VALUES(8,'20261130T2117-oxtd-1','acmepay','sandbox','a charge is kept',2,'cancel_charge','DELETE','http://127.0.0.1:38243/charges/ch_00000002','[["Host", "127.0.0.1:38243"], ["Connection", "keep-alive"], ["User-Agent", "troth/0.1.0"], ["Accept", "*/*"], ["Accept-Encoding", "identity"], ["Authorization", "Bearer [secret:key:0d81c20b]"]]','',200,'[["Content-Type", "application/json"], ["Content-Length", "39"]]','{"id": "ch_00000002", "canceled": true}','canceled',NULL,1.79607347725501561167e+09,1.19292499994116951711e-03);
INSERT INTO "exchanges" VALUES(9,'20261130T2117-bldn-1','acmepay','simulator','a charge is kept',1,'create_charge','POST','http://simulator/charges','[["Host", "simulator"], ["Connection", "keep-alive"], ["User-Agent", "troth/0.1.0"], ["Accept", "*/*"], ["Accept-Encoding", "identity"], ["Content-Type", "application/json"], ["Authorization", "Bearer [secret:key:3e71d47f]"], ["Content-Length", "15"]]','{"amount":1200}',201,'[["Content-Type", "application/json"], ["Date", "Mon, 30 Nov 2026 21:17:57 GMT"], ["Content-Length", "125"]]','{"id":"ch_unJ3pLdG","amount":1200,"status":"pending","created":1796073477,"client_secret":"[secret:client_secret:d2e90f4c]","pin":"[secret:pin:ac2e7e0b]"}','created',NULL,1.79607347728367185589e+09,6.02070000013554817996e-04);
INSERT INTO "exchanges" VALUES(10,'20261130T2117-bldn-1','acmepay','simulator','a charge is kept',2,'cancel_charge','DELETE','http://simulator/charges/ch_unJ3pLdG','[["Host", "simulator"], ["Connection", "keep-alive"], ["User-Agent", "troth/0.1.0"], ["Accept", "*/*"], ["Accept-Encoding", "identity"], ["Authorization", "Bearer [secret:key:3e71d47f]"]]','',200,'[["Content-Type", "application/json"], ["Date", "Mon, 30 Nov 2026 21:17:57 GMT"], ["Content-Length", "36"]]','{"id":"ch_unJ3pLdG","canceled":true}','canceled',NULL,1.7960734772849504948e+09,4.53901000128098530694e-04);
INSERT INTO "exchanges" VALUES(11,'20261130T2117-bldn-1','acmepay','sandbox','a charge is kept',1,'create_charge','POST','http://127.0.0.1:38243/charges','[["Host", "127.0.0.1:38243"], ["Connection", "keep-alive"], ["User-Agent", "troth/0.1.0"], ["Accept", "*/*"], ["Accept-Encoding", "identity"], ["Content-Type", "application/json"], ["Authorization", "Bearer [secret:key:1c5857c8]"], ["Content-Length", "15"]]','{"amount":1200}',201,'[["Set-Cookie", "session=[secret:cookie:bbd85c69]; Path=/"], ["Content-Type", "application/json"], ["Content-Length", "138"]]','{"id": "ch_00000003", "amount": "1200", "status": "pending", "created": 1796073477, "client_secret": "[secret:client_secret:e13f8805]", "pin": "[secret:pin:a80f71a6]"}','created',NULL,1.79607347730458950991e+09,0.00281710700005533);
INSERT INTO "exchanges" VALUES(12,'20261130T2117-bldn-1','acmepay','sandbox','a charge is kept',2,'cancel_charge','DELETE','http://127.0.0.1:38243/charges/ch_00000003','[["Host", "127.0.0.1:38243"], ["Connection", "keep-alive"], ["User-Agent", "troth/0.1.0"], ["Accept", "*/*"], ["Accept-Encoding", "identity"], ["Authorization", "Bearer [secret:key:1c5857c8]"]]','',200,'[["Content-Type", "application/json"], ["Content-Length", "39"]]','{"id": "ch_00000003", "canceled": true}','canceled',NULL,1.79607347730873155586e+09,1.08811900008731754496e-03);
CREATE TABLE findings (
	id INTEGER NOT NULL, 
	run_id VARCHAR NOT NULL, 
	provider VARCHAR NOT NULL, 
	fingerprint VARCHAR NOT NULL, 
	code VARCHAR NOT NULL, 
	kind VARCHAR NOT NULL, 
	severity VARCHAR NOT NULL, 
	blame VARCHAR NOT NULL, 
	operation VARCHAR NOT NULL, 
	scenario VARCHAR NOT NULL, 
	step INTEGER NOT NULL, 
	path VARCHAR NOT NULL, 
	origin VARCHAR NOT NULL, 
	proof VARCHAR NOT NULL, 
	since VARCHAR, 
	last_agreed VARCHAR, 
	caused_by VARCHAR, 
	count INTEGER NOT NULL, 
	said JSON NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(run_id) REFERENCES runs (run_id) ON DELETE CASCADE
);
INSERT INTO "findings" VALUES(1,'20261130T2117-bldn-1','acmepay','v1:3401d203c78e','TR203','type','breaking','provider','create_charge','a charge is kept',1,'$.amount','Charge.amount','history','20261130T2117-bldn-1','20261130T2117-oxtd-1',NULL,1,'{"contract": 1200, "simulator": 1200, "sandbox": "1200"}');
CREATE TABLE provider_runs (
	id INTEGER NOT NULL, 
	run_id VARCHAR NOT NULL, 
	provider VARCHAR NOT NULL, 
	verdict VARCHAR NOT NULL, 
	reason VARCHAR NOT NULL, 
	contract VARCHAR NOT NULL, 
	contract_hash VARCHAR NOT NULL, 
	sandbox_url VARCHAR NOT NULL, 
	coverage JSON NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(run_id) REFERENCES runs (run_id) ON DELETE CASCADE
);
INSERT INTO "provider_runs" VALUES(1,'20261130T2117-rqny-1','acmepay','agree','','acmepay/contract.yaml','a5b67562296e39bc','http://127.0.0.1:38243','{"scenarios": 1, "ran": 1, "skipped": 0, "unobserved": 0, "checks": 14, "undecided": 0, "responses": {"create_charge.invalid": false, "create_charge.created": true, "cancel_charge.missing": false, "cancel_charge.canceled": true, "get_charge.missing": false, "get_charge.found": false, "list_charges.page": false}, "notes": []}');
INSERT INTO "provider_runs" VALUES(2,'20261130T2117-oxtd-1','acmepay','agree','','acmepay/contract.yaml','a5b67562296e39bc','http://127.0.0.1:38243','{"scenarios": 1, "ran": 1, "skipped": 0, "unobserved": 0, "checks": 14, "undecided": 0, "responses": {"create_charge.invalid": false, "create_charge.created": true, "cancel_charge.missing": false, "cancel_charge.canceled": true, "get_charge.missing": false, "get_charge.found": false, "list_charges.page": false}, "notes": []}');
INSERT INTO "provider_runs" VALUES(3,'20261130T2117-bldn-1','acmepay','drift','','acmepay/contract.yaml','a5b67562296e39bc','http://127.0.0.1:38243','{"scenarios": 1, "ran": 1, "skipped": 0, "unobserved": 0, "checks": 13, "undecided": 0, "responses": {"create_charge.invalid": false, "create_charge.created": true, "cancel_charge.missing": false, "cancel_charge.canceled": true, "get_charge.missing": false, "get_charge.found": false, "list_charges.page": false}, "notes": []}');
CREATE TABLE runs (
	run_id VARCHAR NOT NULL, 
	started DOUBLE NOT NULL, 
	finished DOUBLE NOT NULL, 
	verdict VARCHAR NOT NULL, 
	exit_code INTEGER NOT NULL, 
	seed INTEGER NOT NULL, 
	gate BOOLEAN NOT NULL, 
	interrupted BOOLEAN NOT NULL, 
	troth VARCHAR NOT NULL, 
	command VARCHAR NOT NULL, 
	PRIMARY KEY (run_id)
);
INSERT INTO "runs" VALUES('20261130T2117-rqny-1',1.79607347711634349825e+09,1796073477.20805,'agree',0,0,1,0,'0.1.0','');
INSERT INTO "runs" VALUES('20261130T2117-oxtd-1',1.79607347722580194468e+09,1.79607347726831197741e+09,'agree',0,0,1,0,'0.1.0','');
INSERT INTO "runs" VALUES('20261130T2117-bldn-1',1796073477.28259,1.79607347732097077366e+09,'drift',1,0,1,0,'0.1.0','');
CREATE TABLE schema_version (
	version INTEGER NOT NULL, 
	PRIMARY KEY (version)
);
INSERT INTO "schema_version" VALUES(1);
CREATE INDEX ix_runs_started ON runs (started);
CREATE INDEX ix_provider_runs_run_id ON provider_runs (run_id);
CREATE INDEX ix_provider_runs_provider ON provider_runs (provider);
CREATE INDEX ix_exchanges_run_id ON exchanges (run_id);
CREATE INDEX exchanges_of_scenario ON exchanges (run_id, provider, target, scenario);
CREATE INDEX findings_by_fingerprint ON findings (provider, fingerprint);
CREATE INDEX ix_findings_run_id ON findings (run_id);
COMMIT;
