import example.orders.RecordsApi.CreateOrdersRecord422Exception;
import example.orders.impl.RecordsApiImpl;
import example.orders.model.*;
import example.orders.model.FieldError;
import example.orders.model.InvalidInputProblem;
import example.orders.params.*;
import example.purchase.SubmissionsApi.GetPurchaseSubmission404Exception;
import example.purchase.SubmissionsApi.UpdatePurchaseSubmission412Exception;
import example.purchase.impl.DefinitionsApiImpl;
import example.purchase.impl.SubmissionsApiImpl;
import example.purchase.model.*;
import example.purchase.model.VersionMismatchProblem;
import example.purchase.params.*;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;

/** What a user of the generated classes writes: compiled, and run against the server. */
public final class Calls {
  public static void main(String[] arguments) throws Exception {
    String address = System.getenv("URL") + "/api/v1";
    SubmissionsApiImpl submissions = new SubmissionsApiImpl(address);
    submissions.authorizeBearer(System.getenv("TOKEN"));
    RecordsApiImpl records = new RecordsApiImpl(address);
    records.authorizeBearer(System.getenv("TOKEN"));
    DefinitionsApiImpl definitions = new DefinitionsApiImpl(address);
    definitions.authorizeBearer(System.getenv("TOKEN"));

    PurchaseSubmissionDraftInput bought =
        new PurchaseSubmissionDraftInput()
            .title("By Java")
            .department("Office")
            .amount(new BigDecimal("12.5"))
            .addTag(PurchaseSubmissionTagsOption.values()[0])
            .neededBy("2026-12-01");
    PurchaseSubmissionCreate create = new PurchaseSubmissionCreate().data(bought);
    PurchaseSubmission created = submissions.createPurchaseSubmission("java", create);
    PurchaseSubmission again = submissions.createPurchaseSubmission("java", create);
    System.out.println(created.getStatus() + ", once: " + created.getId().equals(again.getId()));

    PurchaseSubmissionSearch search =
        new PurchaseSubmissionSearch()
            .addCondition(
                new PurchaseSubmissionTextCondition()
                    .field(PurchaseSubmissionTextKey.TITLE)
                    .op(PurchaseSubmissionTextCondition.OpEnum.EQ)
                    .value("By Java"));
    for (PurchaseSubmissionFound found :
        submissions
            .searchPurchaseSubmissions(new SearchPurchaseSubmissionsParams(), search)
            .getItems()) {
      PurchaseSubmissionSomeData data = found.getData();
      System.out.println("found " + data.getAmount().get() + " for " + data.getNeededBy().get());
    }

    UpdatePurchaseSubmissionParams late =
        new UpdatePurchaseSubmissionParams(created.getId()).ifMatch("\"99\"");
    PurchaseSubmissionChangeInput cleared = new PurchaseSubmissionChangeInput().neededBy(null);
    PurchaseSubmissionChange change = new PurchaseSubmissionChange().data(cleared);
    try {
      submissions.updatePurchaseSubmission(late, change);
    } catch (UpdatePurchaseSubmission412Exception thrown) {
      VersionMismatchProblem refused = thrown.getEntity();
      System.out.println(refused.getCode() + ", now " + refused.getCurrentEtag().get());
    }
    submissions.updatePurchaseSubmission(late.ifMatch(created.getEtag()), change);
    GetPurchaseSubmissionParams one = new GetPurchaseSubmissionParams(created.getId());
    PurchaseSubmission read = submissions.getPurchaseSubmission(one);
    System.out.println("version " + read.getVersion() + ", " + read.getData().getNeededBy());
    submissions.deletePurchaseSubmission(new DeletePurchaseSubmissionParams(created.getId()));
    try {
      submissions.getPurchaseSubmission(one);
    } catch (GetPurchaseSubmission404Exception thrown) {
      System.out.println(thrown.getEntity().getCode());
    }

    OrdersRecordLinesRowInput line =
        new OrdersRecordLinesRowInput().sku("J-1").qty(3L).price(new BigDecimal("1.1"));
    OrdersRecordInput order = new OrdersRecordInput().customer("Java").addLine(line);
    try {
      records.createOrdersRecord(null, new OrdersRecordCreate().data(order));
    } catch (CreateOrdersRecord422Exception thrown) {
      InvalidInputProblem refused = thrown.getEntity();
      FieldError missing = refused.getErrors().get(0);
      System.out.println(refused.getCode() + ", " + missing.getField() + ": " + missing.getCode());
    }
    order.orderedOn("2026-11-21").account("CUS-000001");
    OrdersRecordBatch batch =
        new OrdersRecordBatch()
            .operations(List.of(new OrdersRecordOperationCreate().data(order)));
    String id =
        records
            .batchOrdersRecords(new BatchOrdersRecordsParams(), batch)
            .getResults()
            .get(0)
            .getId();
    OrdersRecord stored = records.getOrdersRecord(new GetOrdersRecordParams(id).expand("account"));
    System.out.println("total " + stored.getData().getTotal().get());
    String account = stored.getData().getAccount().get();
    CustomersRecord customer = (CustomersRecord) stored.getIncluded().get(account);
    System.out.println("of " + customer.getData().getName().get());

    OrdersRecordAggregate revenue =
        new OrdersRecordAggregate()
            .addCondition(
                new OrdersRecordTextCondition()
                    .field(OrdersRecordTextKey.CUSTOMER)
                    .op(OrdersRecordTextCondition.OpEnum.EQ)
                    .value("Java"))
            .addGroupBy(
                new OrdersRecordAggregateGroupByDay()
                    .field(OrdersRecordAggregateGroupByDay.FieldEnum.ORDERED_ON)
                    .unit(OrdersRecordAggregateGroupByDay.UnitEnum.MONTH))
            .addGroupBy(
                new OrdersRecordAggregateGroupByValue()
                    .field(OrdersRecordAggregateGroupByValue.FieldEnum.ACCOUNT))
            .metrics(
                Map.of(
                    "revenue",
                    new OrdersRecordAggregateMetricNumber()
                        .op(OrdersRecordAggregateMetricNumber.OpEnum.SUM)
                        .field(OrdersRecordAggregateMetricNumber.FieldEnum.TOTAL)));
    for (OrdersRecordAggregateGroup group :
        records.aggregateOrdersRecords(null, revenue).getGroups()) {
      OrdersRecordAggregateKey key = group.getKey();
      boolean isSame = key.getAccount().get().equals(account);
      String sum = group.getMetrics().get("revenue");
      System.out.println(key.getOrderedOn().get() + ": " + sum + ", " + isSame);
    }

    FormDefinition definition = definitions.getPurchaseFormDefinition(null);
    definition.setDescription("Bought by Java");
    FormDefinition put =
        definitions.putPurchaseFormDefinition(new PutPurchaseFormDefinitionParams(), definition);
    System.out.println("defined: " + put.getDescription());
  }
}
